"""The version of this program, as exports name it."""

VERSION = "0.1.0"
