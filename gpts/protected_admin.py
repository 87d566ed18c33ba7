"""Protected names in the admin: curators see them, its history never does."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django import forms
from django.contrib import admin
from django.core.exceptions import ValidationError
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _

from gpts.models import ProtectedName
from gpts.protected import NAME_CHARACTERS, NameRefused, clean_name
from gpts.protected_models import name_index
from llmhub.encryption import Unreadable

if TYPE_CHECKING:
    # Generic for the type checker only.
    _Form = forms.ModelForm[ProtectedName]
    _ModelAdmin = admin.ModelAdmin[ProtectedName]
else:
    _Form, _ModelAdmin = forms.ModelForm, admin.ModelAdmin


class ProtectedNameForm(_Form):
    """One name; what differs by case or accents alone is the same name."""

    name = forms.CharField(
        label=_("Name"),
        max_length=NAME_CHARACTERS,
        help_text=_("A client, a host, a database, a project: found as whole words."),
    )

    class Meta:
        model = ProtectedName
        fields = ("name",)

    def clean_name(self) -> str:
        try:
            name = clean_name(self.cleaned_data["name"])
        except NameRefused as error:
            raise ValidationError(str(error)) from error
        others = ProtectedName.objects.exclude(pk=self.instance.pk)
        if others.filter(name_index=name_index(name)).exists():
            raise ValidationError(_("This name is protected already."))
        return name


@admin.register(ProtectedName)
class ProtectedNameAdmin(_ModelAdmin):
    form = ProtectedNameForm
    list_display = ("shown_name",)

    def has_change_permission(
        self, request: HttpRequest, obj: ProtectedName | None = None
    ) -> bool:
        """A row that no key opens can be removed, not edited."""
        if obj is not None and isinstance(obj.name, Unreadable):
            return False
        return super().has_change_permission(request, obj)

    def changelist_view(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> Any:
        extra = {"subtitle": _("While this list is empty, nothing leaves the network.")}
        return super().changelist_view(request, extra | (extra_context or {}))

    @admin.display(description=_("name"))
    def shown_name(self, row: ProtectedName) -> str:
        if isinstance(row.name, Unreadable):
            return str(_("unreadable: its key is missing"))
        return str(row.name)
