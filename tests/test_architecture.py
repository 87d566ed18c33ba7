"""Imports go left only: chat -> gpts -> servers -> llmhub. The drawing, as a test."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
# What each package may import of ours. The project package carries urls, asgi and
# the commands that start everything: these name the apps, the rest of it none.
ALLOWED = {
    "servers": {"llmhub", "servers"},
    "gpts": {"llmhub", "servers", "gpts"},
    "chat": {"llmhub", "servers", "gpts", "chat"},
    "llmhub": {"llmhub"},
}
FRONT_DOORS = {"llmhub/asgi.py", "llmhub/urls.py"}
# Apps are loaded in an order, and the openai client costs 1.3 s at import.
LATE_IMPORTS = {"openai"}


def modules(package: str) -> list[Path]:
    found = (ROOT / package).rglob("*.py")
    return [path for path in found if "migrations" not in path.parts]


def imports(path: Path) -> list[tuple[str, bool]]:
    """(module, whether inside a function) for every import of a file."""
    found: list[tuple[str, bool]] = []

    def visit(node: ast.AST, inside: bool) -> None:
        for child in ast.iter_child_nodes(node):
            deeper = inside or isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef)
            if isinstance(child, ast.Import):
                found.extend((alias.name, inside) for alias in child.names)
            elif isinstance(child, ast.ImportFrom):
                found.append((child.module or "", inside))
            visit(child, deeper)

    visit(ast.parse(path.read_text(encoding="utf-8")), False)
    return found


@pytest.mark.parametrize("package", sorted(ALLOWED))
class ArrowTests:
    def test_it_imports_leftwards_only(self, package):
        wrong = []
        for path in modules(package):
            name = str(path.relative_to(ROOT))
            if name in FRONT_DOORS:
                continue
            for module, _ in imports(path):
                top = module.split(".")[0]
                if top in ALLOWED and top not in ALLOWED[package]:
                    wrong.append(f"{name}: {module}")
        assert wrong == []

    def test_it_keeps_files_short(self, package):
        lengths = {
            str(path.relative_to(ROOT)): len(path.read_text().splitlines())
            for path in modules(package)
        }
        assert {name: n for name, n in lengths.items() if n > 400} == {}

    def test_it_says_what_each_module_is_for(self, package):
        silent = [
            str(path.relative_to(ROOT))
            for path in modules(package)
            if path.read_text().strip()
            and not ast.get_docstring(ast.parse(path.read_text()))
        ]
        assert silent == []


class DecisionTests:
    PURE = (
        "servers/ladder.py",
        "servers/evidence.py",
        "servers/identity.py",
        "servers/claims.py",
        "gpts/document.py",
        "gpts/matching.py",
        "gpts/gate.py",
        "chat/events.py",
        "chat/fifo.py",
        "chat/commands.py",
    )
    EDGES = ("socket", "httpx", "asyncio", "subprocess", "django.db", "openai")

    @pytest.mark.parametrize("name", PURE)
    def test_it_decides_without_io(self, name):
        used = {module for module, _ in imports(ROOT / name)}
        assert not [m for m in used if m.startswith(self.EDGES)]


class PublicTextTests:
    def test_it_has_no_drawer_for_everything(self):
        names = {path.stem for package in ALLOWED for path in modules(package)}
        assert not names & {"utils", "helpers", "common", "misc", "services"}
