"""What can go wrong with servers, as exceptions.

    ServersError
    ├── AddressError     a typed address cannot be used; the text is never echoed
    ├── NotKept          no retained server answers to that handle or label
    ├── AlreadyKept      a server at that address is kept under a handle
    ├── NotAnswering     nothing answers at an address that should be kept
    └── NotTarget        an address that nothing is ever sent to

Expected outcomes are values (`Silence`, a claim that is unknown), not exceptions.
"""

from __future__ import annotations


class ServersError(Exception):
    """Base of this app's errors; its text is one line that a person can act on."""


class AddressError(ServersError):
    """A typed address, network or port cannot be used."""


class NotKept(ServersError):
    """No retained, permitted server goes by that handle or label."""


class AlreadyKept(ServersError):
    """A server at that address is kept already; the text names its handle."""


class NotAnswering(ServersError):
    """Nothing answers there, and nobody said to keep it all the same."""


class NotTarget(ServersError):
    """Metadata services, multicast, broadcast and unspecified addresses."""
