"""A board on disk: a JSON file, one Markdown file, or a folder of them."""

from __future__ import annotations

import io
import json
import zipfile
import zlib
from pathlib import Path

from chat.cards.board import Board, BoardError, read_board
from chat.cards.markdown import import_cards

FILE_BYTES = 8 * 1024 * 1024
MOST_FILES = 1_000


def read_board_file(path: Path) -> Board:
    """Raises BoardError: what is wrong, without the path that was typed."""
    try:
        if path.is_dir():
            return import_cards(_folder(path))
        text = _text(path)
    except (OSError, ValueError):
        raise BoardError("The board's file cannot be read.") from None
    if path.suffix.lower() in {".md", ".markdown"}:
        return import_cards({path.name: text})
    return read_json(text)


def read_json(text: str) -> Board:
    """A board from JSON text. Raises BoardError."""
    try:
        document = json.loads(text.removeprefix("\ufeff"), parse_constant=_refuse)
    except RecursionError:
        raise BoardError("The board is nested too deeply.") from None
    except ValueError as error:
        raise BoardError(f"The board is no JSON: {error}.") from None
    return read_board(document)


def read_upload(files: list[tuple[str, bytes]]) -> Board:
    """A board from uploaded files: one JSON, one zip, or Markdown of cards.

    Raises BoardError. Names are for the order alone: nothing is written anywhere.
    """
    if sum(len(data) for _, data in files) > FILE_BYTES or len(files) > MOST_FILES:
        raise BoardError("The files are larger than 8 MiB together.")
    if len(files) == 1 and files[0][0].lower().endswith(".zip"):
        files = _unzipped(files[0][1])
    try:
        texts = {name: data.decode("utf-8-sig") for name, data in files}
    except UnicodeDecodeError:
        raise BoardError("The file is no UTF-8 text.") from None
    if len(texts) == 1 and not next(iter(texts)).lower().endswith(".md"):
        return read_json(next(iter(texts.values())))
    return import_cards(texts)


def _unzipped(data: bytes) -> list[tuple[str, bytes]]:
    """The Markdown files of an archive, bounded by what they unpack to."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            entries = [e for e in archive.infolist() if e.filename.endswith(".md")]
            if len(entries) > MOST_FILES:
                raise BoardError(f"At most {MOST_FILES} files make a board.")
            found, left = [], FILE_BYTES
            for entry in entries:
                with archive.open(entry) as file:
                    content = file.read(left + 1)
                left -= len(content)
                if left < 0:
                    raise BoardError("The files are larger than 8 MiB together.")
                found.append((entry.filename, content))
            return found
    except (zipfile.BadZipFile, RuntimeError, NotImplementedError, zlib.error, OSError):
        # RuntimeError: it wants a password.
        raise BoardError("The archive cannot be read.") from None


def _refuse(word: str) -> None:
    raise ValueError(f"{word} is no value")


def _folder(folder: Path) -> dict[str, str]:
    files = sorted(path for path in folder.iterdir() if path.suffix.lower() == ".md")
    if not files:
        raise BoardError("There is no Markdown file in that folder.")
    if len(files) > MOST_FILES:
        raise BoardError(f"At most {MOST_FILES} files make a board.")
    return {path.name: _text(path) for path in files}


def _text(path: Path) -> str:
    with path.open("rb") as file:
        data = file.read(FILE_BYTES + 1)
    if len(data) > FILE_BYTES:
        raise BoardError("The board's file is larger than 8 MiB.")
    return data.decode("utf-8-sig")
