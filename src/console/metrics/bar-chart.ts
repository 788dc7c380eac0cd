// A chart with bars side by side, and the same numbers as a table.
import { html, type SafeHtml } from '@remix-run/html-template'

export type BarChart = {
  id: string
  title: string
  /** What the names of the periods are. */
  noun: string
  series: { name: string; values: number[] }[]
  periods: { name: string; short: string }[]
}

/** The drawing is stretched to the width of the page. Its texts are outside of it, so that they are not. */
const HEIGHT = 100
const GROUP_WIDTH = 100
/** Left free at each side of a group. */
const MARGIN = 10

export function barChart({ id, title, noun, series, periods }: BarChart): SafeHtml {
  const top = niceTop(Math.max(1, ...series.flatMap(({ values }) => values)))
  const barWidth = (GROUP_WIDTH - 2 * MARGIN) / series.length
  const bar = (value: number, place: number, index: number): SafeHtml => {
    const height = value === 0 ? 0 : Math.max(1, (value / top) * HEIGHT)
    const x = index * GROUP_WIDTH + MARGIN + place * barWidth
    return html`<rect class="series-${place + 1}" x="${x}" y="${round(HEIGHT - height)}" width="${round(barWidth)}" height="${round(height)}"/>`
  }
  const group = ({ name }: { name: string }, index: number): SafeHtml => html`<g>
<title>${name}: ${series.map((one) => `${one.name} ${grouped(one.values[index] ?? 0)}`).join(', ')}</title>
<rect class="ground" x="${index * GROUP_WIDTH}" y="0" width="${GROUP_WIDTH}" height="${HEIGHT}"/>
${series.map(({ values }, place) => bar(values[index] ?? 0, place, index))}</g>`
  return html`<section class="sheet chart ${id}" aria-labelledby="${id}"><div class="head"><h2 id="${id}">${title}</h2>
<ul class="legend">${series.map(({ name, values }, place) => html`<li class="series-${place + 1}">${name} <b>${grouped(sumOf(values))}</b></li>`)}</ul></div>
<div class="plot"><div class="scale" aria-hidden="true"><span>${grouped(top)}</span><span>0</span></div>
<svg viewBox="0 0 ${periods.length * GROUP_WIDTH} ${HEIGHT}" preserveAspectRatio="none" role="img" aria-label="${summary({ title, series, periods })}">
${periods.map(group)}</svg>
<div class="ends" aria-hidden="true">${endsOf(periods).map(({ short }) => html`<span>${short}</span>`)}</div></div>
<details><summary>Show the numbers</summary><div class="scroll"><table class="numbers"><thead><tr><th scope="col">${noun}</th>
${series.map(({ name }) => html`<th scope="col">${name}</th>`)}</tr></thead><tbody>
${periods.map(({ name }, index) => html`<tr><th scope="row">${name}</th>${series.map(({ values }) => html`<td>${grouped(values[index] ?? 0)}</td>`)}</tr>`)}
</tbody></table></div></details></section>`
}

const endsOf = <Item>(items: Item[]): Item[] => {
  const [first, last] = [items[0], items.at(-1)]
  const middle = items.length > 2 ? items[Math.floor(items.length / 2)] : undefined
  return [first, middle, last].flatMap((item, place) => (item === undefined || (place === 2 && items.length === 1) ? [] : [item]))
}

function summary({ title, series, periods }: Pick<BarChart, 'title' | 'series' | 'periods'>): string {
  const totals = series.map(({ name, values }) => `${name} ${grouped(sumOf(values))}`).join(', ')
  return `${title}, from ${periods[0]?.name ?? ''} to ${periods.at(-1)?.name ?? ''}: ${totals}.`
}

/** 1, 2 or 5 times a power of ten. */
function niceTop(value: number): number {
  const power = 10 ** Math.floor(Math.log10(value))
  return ([1, 2, 5, 10].find((factor) => factor * power >= value) ?? 10) * power
}

const round = (value: number): number => Math.round(value * 100) / 100
const sumOf = (values: number[]): number => values.reduce((sum, value) => sum + value, 0)

export const grouped = (value: number): string => value.toLocaleString('en')
