"""The templates stand in `prompts/`, beside the package; in a wheel they lie within it."""

from setuptools import find_packages, setup

setup(
    packages=[*find_packages(include=["ocr_ui*"]), "ocr_ui.prompts"],
    package_dir={"ocr_ui.prompts": "prompts"},
)
