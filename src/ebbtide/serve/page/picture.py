"""The picture of a network as ECharts wants it. Colours are the page's own, so that it is dark when the page is."""

import math
from typing import Any

from ebbtide.serve.page.graph import Edge, Graph, Node, opacity, width

FAINTEST = 0.65  # of a label: below that its contrast is too low to be read
_SIZE = 1000.0  # ECharts rounds to whole pixels before it fits the picture into its frame
_TIP = (
    "p => { if (!p.data.tip) return ''; const d = document.createElement('div'); d.className = 'tip'; "
    "d.textContent = p.data.tip; return d; }"
)


def options(drawn: Graph) -> dict[str, Any]:
    """For ECharts. What memories say goes in as data only; nothing of it is read as a template or as HTML."""
    return {
        "animation": False,
        "tooltip": {":formatter": _TIP, "confine": True, "backgroundColor": "var(--card)", "borderColor": "var(--line)",
                    "textStyle": {"color": "var(--ink)"}},
        "series": [
            {
                "type": "graph",
                "layout": "none",
                "roam": True,
                "scaleLimit": {"min": 0.3, "max": 12},
                "selectedMode": "single",
                "left": "9%", "right": "9%", "top": "6%", "bottom": "8%",
                "nodeScaleRatio": 0.3,
                "preserveAspect": True,
                "label": {"show": True, "position": "bottom", ":formatter": "p => p.data.says ?? ''", "fontSize": 12},
                "labelLayout": {"hideOverlap": True},
                "emphasis": {"focus": "adjacency", "scale": 1.15},
                "blur": {"itemStyle": {"opacity": 0.12}, "lineStyle": {"opacity": 0.05}, "label": {"opacity": 0.15}},
                "select": {"itemStyle": {"borderColor": "var(--ink)", "borderWidth": 3}},
                "data": [_point_of(node, _scale(len(drawn.nodes))) for node in drawn.nodes],
                "links": [_line_of(edge) for edge in drawn.edges],
            }
        ],
    }  # fmt: skip


def _scale(count: int) -> float:
    """The more there are, the smaller each is."""
    return min(1.0, max(0.45, math.sqrt(40.0 / max(count, 1))))


def _point_of(node: Node, scale: float) -> dict[str, Any]:
    style = _style_of(node)
    size = 10.0 + 18.0 * node.alive + (8.0 if node.focus else 0.0)
    return {
        "id": str(node.id),
        "name": str(node.id),
        "x": _SIZE * node.x,
        "y": _SIZE * node.y,
        "symbolSize": 9.0 if node.ghost else size * scale,
        "itemStyle": style,
        "emphasis": {"itemStyle": {"color": style["color"]}},
        "label": {"opacity": max(FAINTEST, opacity(node.alive)), "fontWeight": "bold" if node.focus else "normal"},
        "says": node.label,
        "tip": f"{node.line}\n{node.key}" if node.key else node.line,
    }


def _style_of(node: Node) -> dict[str, Any]:
    if node.ghost:
        return {"color": "var(--ground)", "borderColor": "var(--faint)", "borderType": "dashed", "borderWidth": 1.5}
    colour = f"var(--{node.state})"
    if node.focus:
        return {"color": colour, "borderColor": "var(--tide)", "borderWidth": 4}
    return {"color": colour, "opacity": opacity(node.alive)}


def _line_of(edge: Edge) -> dict[str, Any]:
    kind = "dashed" if edge.ghost else "solid"
    style = {"width": width(edge.strength), "opacity": 0.2 + 0.4 * edge.strength, "color": "var(--soft)", "type": kind}
    tip = f"{' · '.join(edge.relations)}\n{edge.strength:.2f}"
    return {
        "source": str(edge.source),
        "target": str(edge.target),
        "lineStyle": style,
        "emphasis": {"lineStyle": {"color": "var(--tide)", "opacity": 0.9}},
        "tip": tip,
    }
