"""All settings, read once from the environment (prefix OCR_UI_) or a `.env` file. The README lists each."""

from __future__ import annotations

from pathlib import Path

from pydantic import Field
from pydantic_settings import BaseSettings, SettingsConfigDict

ROOT = Path(__file__).resolve().parent.parent


class Settings(BaseSettings):
    model_config = SettingsConfigDict(env_prefix="OCR_UI_", env_file=".env", env_file_encoding="utf-8", extra="ignore")

    host: str = Field("127.0.0.1", description="Address that the server listens on.")
    port: int = Field(7860, ge=0, le=65535, description="Port that the server listens on.")
    data_dir: Path = Field(Path("data"), description="Folder of the database, the pictures and own templates.")
    engine: str = Field("auto", description="Engine that reads: auto, rapidocr, vllm, openai or llama.")
    prompts_dir: Path = Field(ROOT / "prompts", description="Folder of the templates that come with the product.")
    examples_dir: Path = Field(ROOT / "examples", description="Folder of the example pictures.")
    max_upload_bytes: int = Field(20_000_000, gt=0, description="Largest file that is taken, in bytes.")
    max_pixels: int = Field(
        100_000_000, gt=0, description="Largest picture that is taken, in pixels of width times height."
    )
    engine_pixels: int = Field(
        4_000_000, gt=0, description="Pixels that an engine gets at most; a larger picture is scaled down for it."
    )
    decode_seconds: float = Field(20.0, gt=0, description="Longest time that decoding one picture may take.")
    max_pages: int = Field(500, gt=0, description="Most pages that are taken from one document.")
    turn_pages: bool = Field(True, description="Notice pages that lie on their side or head, and turn them.")
    low_confidence: float = Field(0.8, ge=0, le=1, description="Below this confidence a line is drawn as uncertain.")
    max_waiting: int = Field(64, gt=0, description="Readings that may wait for the engine before more are refused.")
