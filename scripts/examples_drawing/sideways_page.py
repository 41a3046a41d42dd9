"""A French lease as a fax stores it: black and white, lying on its side, and nothing in the file says so."""

from __future__ import annotations

import numpy as np
from PIL import Image
from scipy import ndimage

from examples_drawing.example import Example
from examples_drawing.paper import cloud
from examples_drawing.sheet import Sheet

LEFT, WIDTH = 130, 980
ARTICLES = (
    ("Article 1 – Objet",
     "La Commune met à la disposition du locataire la salle des fêtes située au 5, rue des Tilleuls, d'une surface de "
     "180 m², avec sa cuisine, son vestiaire et soixante chaises."),
    ("Article 2 – Durée",
     "La location est consentie du samedi 20 juin 2026 à 9 heures au dimanche 21 juin 2026 à 12 heures. La salle doit "
     "être rendue propre et vide de tout matériel."),
    ("Article 3 – Loyer et caution",
     "Le loyer est fixé à 240,00 euros, payable à la remise des clés. Une caution de 500,00 euros est déposée le même "
     "jour ; elle est restituée après l'état des lieux de sortie."),
    ("Article 4 – Assurance",
     "Le locataire déclare être assuré pour les dommages causés aux locaux et aux personnes. Une attestation est "
     "jointe au présent contrat."),
    ("Article 5 – Résiliation",
     "En cas d'annulation moins de quinze jours avant la date prévue, la moitié du loyer reste due à la Commune."),
)  # fmt: skip


def draw(rng: np.random.Generator) -> Example:
    picture = _page().picture()
    turned = picture.with_image(_faxed(picture.image, rng)).turned_left()
    return Example(
        name="sideways_page",
        title={"en": "Page lying on its side", "zh": "横放的页面（无 EXIF 信息）"},
        template="full_text",
        language="fr",
        kind="sideways",
        picture=turned,
        suffix=".tif",
        options={"compression": "group4", "dpi": (150, 150)},
        upright=False,
    )


def _page() -> Sheet:
    sheet = Sheet(1240, 1754)
    sheet.text(LEFT, 130, "COMMUNE DE SAINT-AUBIN-LE-LAC", "serif-bold", 27)
    sheet.text(LEFT, 166, "Mairie, 1, place de l'Horloge", "serif", 24)
    sheet.text(LEFT + WIDTH, 130, "Contrat n° 2026-018", "serif", 24, align="right")
    sheet.text(620, 292, "CONTRAT DE LOCATION", "serif-bold", 46, align="center", spacing=2)
    sheet.text(620, 338, "Salle des fêtes communale", "serif-italic", 31, align="center")
    sheet.rule(470, 362, 770, 362, 2)
    parties = (
        "Entre la Commune de Saint-Aubin-le-Lac, représentée par son maire, Mme Odette Vauclair, et l'association "
        "« Les Amis du Carillon », représentée par M. Basile Fontenay, ci-après « le locataire », il est convenu "
        "ce qui suit :"
    )
    y = sheet.paragraph(LEFT, 430, WIDTH, parties, "serif", 26, 37)
    for title, words in ARTICLES:
        sheet.text(LEFT, y + 26, title, "serif-bold", 27)
        y = sheet.paragraph(LEFT, y + 66, WIDTH, words, "serif", 26, 37)
    sheet.text(LEFT, y + 40, "Fait en deux exemplaires à Saint-Aubin-le-Lac, le 4 mai 2026.", "serif", 26)
    for x, who in ((LEFT, "Pour la Commune,"), (760, "Le locataire,")):
        sheet.text(x, y + 104, who, "serif", 26)
    for x, name in ((LEFT, "O. Vauclair"), (760, "B. Fontenay")):
        sheet.text(x + 20, y + 176, name, "script", 56, kind="handwriting")
    sheet.text(620, 1690, "1 / 1", "serif", 22, align="center")
    return sheet


def _faxed(image: Image.Image, rng: np.random.Generator) -> Image.Image:
    """One bit a pixel, with ragged edges, a few specks and a line that the reader's dirty glass left."""
    grey = np.asarray(image.convert("L"), np.float32) / 255
    grey = ndimage.gaussian_filter(grey, 0.6) + 0.07 * cloud(rng, image.size, 2)
    white = grey > 0.68
    specks = rng.random(white.shape) < 0.00004
    white &= ~ndimage.binary_dilation(specks)
    white[:, 1196] &= rng.random(white.shape[0]) < 0.3
    return Image.fromarray(white)
