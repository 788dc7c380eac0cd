// Seven days as seven bars: the numbers are in the text of the drawing, and today's bar has an outline, so that no color is needed.
import { html, type SafeHtml } from '@remix-run/html-template'

const HEIGHT = 40
const STEP = 16
const BAR = 12

export function dayBars({ title, days }: { title: string; days: { name: string; value: number }[] }): SafeHtml {
  const top = Math.max(1, ...days.map(({ value }) => value))
  const bar = ({ name, value }: { name: string; value: number }, index: number): SafeHtml => {
    const height = value === 0 ? 1 : Math.max(3, Math.round((value / top) * HEIGHT))
    return html`<g><title>${name}: ${value.toLocaleString('en')}</title><rect class="${index === days.length - 1 ? 'today' : 'day'}" x="${index * STEP + 1}" y="${HEIGHT - height + 1}" width="${BAR}" height="${height}"/></g>`
  }
  const words = days.map(({ name, value }) => `${name} ${value.toLocaleString('en')}`).join(', ')
  return html`<svg viewBox="0 0 ${days.length * STEP} ${HEIGHT + 2}" role="img" aria-label="${title}, day by day: ${words}.">${days.map(bar)}</svg>`
}
