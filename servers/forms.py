"""The form a curator keeps a server with: an address in, recognised before saving."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django import forms
from django.utils.translation import gettext_lazy as _

from servers import adding
from servers.addresses import Origin, parse_url
from servers.errors import ServersError
from servers.identity import Identity
from servers.models import EMPTY_PRIVATE, Server, index_of, next_position
from servers.retained import LABEL_CHARACTERS

KEY_CHARACTERS = 4096

if TYPE_CHECKING:
    # Generic for the type checker only.
    _ModelForm = forms.ModelForm[Server]
else:
    _ModelForm = forms.ModelForm


class ServerForm(_ModelForm):
    """Address, label and key are one encrypted value; the key is never shown."""

    url = forms.CharField(
        label=_("Address"),
        max_length=2048,
        help_text=_("http://host:port. It is asked by GET only, without any key."),
        widget=forms.TextInput(attrs={"class": "vURLField", "autocomplete": "off"}),
    )
    label = forms.CharField(
        label=_("Label"),
        required=False,
        max_length=LABEL_CHARACTERS,
        help_text=_("The name people see beside the handle."),
    )
    new_key = forms.CharField(
        label=_("API key"),
        required=False,
        max_length=KEY_CHARACTERS,
        widget=forms.PasswordInput(attrs={"autocomplete": "new-password"}),
    )
    clear_key = forms.BooleanField(label=_("Remove the key"), required=False)
    even_if_down = forms.BooleanField(
        label=_("Keep it even if nothing answers now"), required=False
    )

    identity: Identity | None = None

    class Meta:
        model = Server
        fields = ["default_model", "slots", "groups", "fallback"]

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        server = self.instance
        if server.pk:
            self.fields["url"].initial = server.origin.url()
            self.fields["label"].initial = server.label
            self.offer_others_as_fallback()
        self.fields["new_key"].help_text = (
            _("A key is set. Type another to replace it; it is never shown.")
            if server.pk and server.api_key
            else _("Not set. It is stored encrypted and never shown again.")
        )

    def offer_others_as_fallback(self) -> None:
        field = self.fields["fallback"]
        if isinstance(field, forms.ModelChoiceField):
            field.queryset = Server.objects.exclude(pk=self.instance.pk)

    def clean_url(self) -> Origin:
        try:
            origin = parse_url(self.cleaned_data["url"])
            adding.refuse_non_targets(origin)
        except ServersError as error:
            raise forms.ValidationError(str(error)) from None
        other = Server.objects.filter(address_index=index_of(origin))
        there = other.exclude(pk=self.instance.pk).first()
        if there:
            raise forms.ValidationError(
                _("Already kept as %(handle)s."), params={"handle": there.handle}
            )
        return origin

    def clean_new_key(self) -> str:
        key: str = self.cleaned_data["new_key"].strip()
        if not key.isascii() or any(c.isspace() or not c.isprintable() for c in key):
            raise forms.ValidationError(_("A key is one line of plain characters."))
        return key

    def clean(self) -> dict[str, Any]:
        values = super().clean() or self.cleaned_data
        origin = values.get("url")
        if origin and (not self.instance.pk or origin != self.instance.origin):
            self.recognise(origin, values)
        return values

    def recognise(self, origin: Origin, values: dict[str, Any]) -> None:
        """Ask what answers there now; silence needs the curator's word."""
        self.identity = adding.look(origin)
        if not self.identity.answered and not values.get("even_if_down"):
            self.add_error(
                "url",
                _("Nothing answers there. Tick the box below to keep it all the same."),
            )

    def save(self, commit: bool = True) -> Server:
        server = super().save(commit=False)
        values = self.cleaned_data
        if not server.pk:
            server.private = dict(EMPTY_PRIVATE)
            server.position = next_position()
        server.move_to(self.where_it_answers())
        server.private = {**server.private, "label": values["label"].strip()}
        if values.get("clear_key") or values["new_key"]:
            server.private = {**server.private, "api_key": values["new_key"]}
        self.adopt(server)
        if commit:
            server.save()
            self.save_m2m()
        return server

    def where_it_answers(self) -> Origin:
        """As typed, or where recognition found it: the root, or behind TLS."""
        found = self.identity
        typed: Origin = self.cleaned_data["url"]
        return found.origin if found and found.answered and found.origin else typed

    def adopt(self, server: Server) -> None:
        """Take over what recognition found, where it was asked."""
        if self.identity is None:
            return
        server.family = self.identity.family or ""
        server.hosting = self.identity.hosting.value
        claims = adding.announced(server.origin, self.identity)
        if not server.default_model:
            server.default_model = adding.first_to_chat_with(self.identity, claims)
        if not server.slots:
            server.slots = adding.slots_of(server.default_model, claims)
