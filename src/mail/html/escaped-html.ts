import { html } from '@remix-run/html-template'

/** Text as HTML that says the same, between tags and in attributes with quotes. */
export const escapeHtml = (text: string): string => String(html`${text}`)
