// The mailbox of the person who tries the console by hand: a page with the mail that the service sent to them, newest first.
import { html, type SafeHtml } from '@remix-run/html-template'
import PostalMime from 'postal-mime'
import { type HttpSink, startHttpSink } from '../support/servers/http-sink.ts'
import type { SinkMessage } from '../support/servers/smtp-sink.ts'

const SHOWN_MAX = 50
/** The page loads itself anew, so that a code that was just asked for appears. */
const REFRESH_SECONDS = 5
const LINK = /(https?:\/\/[^\s<>"]+)/

/** @param messages what the mail server of everyone has received so far */
export const openMailbox = (address: string, messages: readonly SinkMessage[]): Promise<HttpSink> =>
  startHttpSink({
    '/': async (_request, response) => {
      const own = messages.filter(({ to }) => to.includes(address)).slice(-SHOWN_MAX)
      const mails = await Promise.all(own.toReversed().map(({ raw }) => mailArticle(raw)))
      response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(String(mailboxPage(address, mails)))
    },
  })

const mailboxPage = (address: string, mails: readonly SafeHtml[]): SafeHtml => html`<!doctype html>
<html lang="en">
  <head>
    <title>Mail of ${address}</title>
    <meta name="viewport" content="width=device-width" />
    <meta http-equiv="refresh" content="${REFRESH_SECONDS}" />
    <style>
      body { font: 16px/1.5 system-ui, sans-serif; max-width: 45rem; margin: 2rem auto; padding: 0 1rem }
      article { border-top: 1px solid #ccc; padding: 0.5rem 0 }
      pre { font: inherit; white-space: pre-wrap; overflow-wrap: anywhere }
    </style>
  </head>
  <body>
    <h1>Mail of ${address}</h1>
    ${mails.length === 0 ? html`<p>No mail yet. This page looks again every ${REFRESH_SECONDS} seconds.</p>` : [...mails]}
  </body>
</html>`

async function mailArticle(raw: string): Promise<SafeHtml> {
  const { subject = '', from, date, text, html: written = '' } = await PostalMime.parse(Buffer.from(raw, 'latin1'))
  return html`<article>
    <h2>${subject}</h2>
    <p>From ${from?.address ?? 'no one'}, ${date ?? 'no date'}</p>
    <pre>${withLinks(text ?? written)}</pre>
  </article>`
}

const withLinks = (text: string): (SafeHtml | string)[] =>
  text.split(LINK).map((part, index) => (index % 2 === 1 ? html`<a href="${part}" target="_blank" rel="noreferrer">${part}</a>` : part))
