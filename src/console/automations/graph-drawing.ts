// The graph of an automation as a drawing. Texts that are too long are cut at the edge of their step, whose tooltip has them whole.
import { html, type SafeHtml } from '@remix-run/html-template'
import type { Graph, Step } from '../../modules/automations/graph/graph.ts'
import {
  layoutGraph,
  type PlacedConnection,
  type PlacedStep,
  type Point,
  STEP_HEIGHT,
  STEP_WIDTH,
} from '../../modules/automations/graph/graph-layout.ts'
import { CONNECTION_NAMES, STEP_NAMES, stepDetail } from './automation-words.ts'

export type Drawing = {
  graph: Graph
  title: string
  /** Beside a connection, in the order of the graph; empty for nothing. */
  counts: string[]
  /** Whether a run has followed the connection, in the order of the graph. */
  followed: boolean[]
  /** A class for the color of a step. */
  stateOf(step: Step): string
}

export function drawGraph({ graph, title, counts, followed, stateOf }: Drawing): SafeHtml {
  const { width, height, steps, connections } = layoutGraph(graph)
  const drawn = connections.map((placed, index) => ({ placed, isFollowed: followed[index] === true, count: counts[index] ?? '' }))
  // What a run has followed lies above the rest.
  const inOrder = [...drawn.filter(({ isFollowed }) => !isFollowed), ...drawn.filter(({ isFollowed }) => isFollowed)]
  return html`<div class="graph" tabindex="0" role="region" aria-label="${title}"><svg${width > NARROW_MAX ? '' : html` class="narrow"`} width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" aria-label="${title}">
<defs>${MARKERS.map((name) => html`<marker id="${name}" class="${name}" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8" markerUnits="userSpaceOnUse" orient="auto"><path d="M0 0 8 4 0 8z"/></marker>`)}</defs>
${inOrder.map(({ placed, isFollowed }) => line(placed, isFollowed))}
${steps.map((placed) => box(placed, stateOf(placed.step)))}
${drawn.map(({ placed, count }) => label(placed, count))}
</svg></div>`
}

/** Two steps side by side. A drawing that is not wider becomes as narrow as the screen; others are scrolled. */
const NARROW_MAX = 2 * (STEP_WIDTH + 48)

const MARKERS = ['end', 'followed-end']

const line = ({ points }: PlacedConnection, isFollowed: boolean): SafeHtml =>
  html`<path class="way${isFollowed ? ' followed' : ''}" d="${pathOf(points)}" marker-end="url(#${isFollowed ? 'followed-end' : 'end'})"/>`

/** How far a connection leads straight down before it turns, beside its label. */
const STUB = 22

/** Leaves and arrives upright. */
const pathOf = (points: Point[]): string =>
  points
    .map(({ x, y }, index) => {
      const before = points[index - 1]
      if (!before) return `M${x} ${y}`
      if (before.x === x) return `V${y}`
      const [turn, middle] = [before.y + STUB, Math.round((before.y + STUB + y) / 2)]
      return `V${turn}C${before.x} ${middle} ${x} ${middle} ${x} ${y}`
    })
    .join('')

function box({ step, x, y }: PlacedStep, state: string): SafeHtml {
  const detail = stepDetail(step)
  return html`<svg class="step ${state}" x="${x}" y="${y}" width="${STEP_WIDTH}" height="${STEP_HEIGHT}"><title>${step.key}: ${STEP_NAMES[step.type]}${detail === '' ? '' : `, ${detail}`}</title>
<rect x="1" y="1" width="${STEP_WIDTH - 2}" height="${STEP_HEIGHT - 2}" rx="8"/>
<svg x="12" width="${STEP_WIDTH - 24}" height="${STEP_HEIGHT}"><text class="key" y="23">${shown(step.key)}</text><text class="what" y="43">${shown(detail === '' ? STEP_NAMES[step.type] : `${STEP_NAMES[step.type]}: ${detail}`)}</text></svg></svg>`
}

/** About what fits; the edge cuts the rest. */
const SHOWN_LENGTH_MAX = 40
const shown = (text: string): string => (text.length > SHOWN_LENGTH_MAX ? `${text.slice(0, SHOWN_LENGTH_MAX).toWellFormed()}…` : text)

/** Where the connection leaves its step, on the side to which it turns. */
function label({ connection, points }: PlacedConnection, count: string): SafeHtml {
  const [from, next] = points
  const words = [CONNECTION_NAMES[connection.type], count].filter((word) => word !== '').join(' · ')
  if (!from || !next || words === '') return html``
  const side = next.x < from.x ? -1 : 1
  return html`<text class="label" x="${from.x + side * LABEL_DISTANCE}" y="${from.y + LABEL_DROP}" text-anchor="${side < 0 ? 'end' : 'start'}">${words}</text>`
}
const LABEL_DISTANCE = 8
const LABEL_DROP = 17
