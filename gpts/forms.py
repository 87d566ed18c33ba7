"""Forms of the admin: the text of a gpt, and what a hub adds to one in private."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _

from gpts.catalogue import catalogue
from gpts.models import Gpt, PrivateConfig
from gpts.private import Private, private_of
from gpts.problems import Problem
from gpts.reading import read_document
from servers.retained import kept_servers

if TYPE_CHECKING:
    # Generic for the type checker only.
    _GptModelForm = forms.ModelForm[Gpt]
    _PrivateModelForm = forms.ModelForm[PrivateConfig]
else:
    _GptModelForm = _PrivateModelForm = forms.ModelForm

FIRST_TEXT = """---
gpt: 1
name: A name
description: What it does, in one sentence.
requires:
  context_window: 8192
inputs:
  text:
    required: true
---
<!-- [system] -->
What the model is, and the rules it keeps.
<!-- [question] -->
{text}
"""


def place_words(problem: Problem) -> str:
    """`line 3: ...`, or the sentence alone where no line is meant."""
    if problem.line is None:
        return problem.message
    words = {"line": problem.line, "message": problem.message}
    return str(_("line %(line)s: %(message)s")) % words


class GptForm(_GptModelForm):
    """`base` is the revision the person saw: a newer one is not overwritten."""

    source = forms.CharField(
        label=_("Text"),
        strip=False,
        widget=forms.Textarea(
            attrs={"rows": 28, "spellcheck": "false", "class": "gpt-source"}
        ),
    )
    base = forms.IntegerField(required=False, widget=forms.HiddenInput)

    class Meta:
        model = Gpt
        fields = ("stem",)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        current = self.instance.current if self.instance.pk else None
        self.initial.setdefault("source", current.source if current else FIRST_TEXT)
        self.initial.setdefault("base", current.number if current else 0)

    def clean_source(self) -> str:
        source = str(self.cleaned_data["source"]).replace("\r\n", "\n")
        fatal = [p for p in read_document(source).problems if p.fatal]
        if fatal:
            raise ValidationError([place_words(problem) for problem in fatal])
        return source

    def clean(self) -> dict[str, Any] | None:
        cleaned = super().clean()
        current = self.instance.current if self.instance.pk else None
        if current and self.cleaned_data.get("base") != current.number:
            raise ValidationError(
                _("Somebody saved revision %(number)s meanwhile: compare, then save."),
                params={"number": current.number},
            )
        return cleaned


class PrivateForm(_PrivateModelForm):
    """The private config field by field; nothing of it is shown in lists."""

    stem = forms.ChoiceField(label=_("Gpt"))
    server = forms.TypedChoiceField(
        label=_("Pinned server"), required=False, coerce=int, empty_value=None
    )
    model = forms.CharField(label=_("Pinned model"), required=False, max_length=300)
    addition = forms.CharField(
        label=_("Added to the system prompt"),
        required=False,
        widget=forms.Textarea(attrs={"rows": 6}),
        help_text=_("Taken literally, and sent with every question of this gpt."),
    )
    inputs = forms.CharField(
        label=_("Values of inputs"),
        required=False,
        widget=forms.Textarea(attrs={"rows": 4}),
        help_text=_(
            "One a line, as `name = value`: used where a person types nothing."
        ),
    )

    class Meta:
        model = PrivateConfig
        fields = ("stem",)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.choice_field("stem").choices = self._stems()
        self.choice_field("server").choices = [
            ("", _("none")),
            *((kept.pk, f"{kept} {kept.label}") for kept in kept_servers()),
        ]
        if self.instance.pk:
            kept = private_of(self.instance.stem)
            lines = [f"{name} = {value}" for name, value in kept.inputs.items()]
            self.initial["server"] = kept.server
            self.initial["model"] = kept.model
            self.initial["addition"] = kept.addition
            self.initial["inputs"] = "\n".join(lines)

    def choice_field(self, name: str) -> Any:
        return self.fields[name]

    def _stems(self) -> list[tuple[str, str]]:
        stems = set(catalogue().entries) | {self.instance.stem} - {""}
        return [(stem, stem) for stem in sorted(stems)]

    def clean_inputs(self) -> dict[str, str]:
        found: dict[str, str] = {}
        for line in self.cleaned_data["inputs"].splitlines():
            name, equals, value = (part.strip() for part in line.partition("="))
            if line.strip() and not (name and equals):
                raise ValidationError(_("Write each line as `name = value`."))
            if name:
                found[name] = value
        return found

    def private(self) -> Private:
        """What was typed, as the value that is kept."""
        return Private(
            server=self.cleaned_data["server"],
            model=self.cleaned_data["model"].strip(),
            inputs=self.cleaned_data["inputs"],
            addition=self.cleaned_data["addition"].strip(),
        )
