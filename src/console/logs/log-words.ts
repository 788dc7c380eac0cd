import { html, type SafeHtml } from '@remix-run/html-template'

export const ADDRESS = '/console/logs'

export const logAddress = ({ id }: { id: string }): string => `${ADDRESS}/${id}`

/** The colors are those of states of emails. */
export function statusMark(status: number): SafeHtml {
  const color = status >= 500 ? 'failed' : status >= 400 ? 'delayed' : 'delivered'
  return html`<span class="state ${color}">${status}</span>`
}
