import { html, type SafeHtml } from '@remix-run/html-template'

export type Notice = {
  title: string
  message: string
  /** Where the reader can continue. */
  way: { address: string; name: string }
}

/** The content of a page that says one thing and links to another. */
export const notice = ({ title, message, way }: Notice): SafeHtml =>
  html`<section class="notice"><h1>${title}</h1><p>${message}</p><p><a class="button" href="${way.address}">${way.name}</a></p></section>`
