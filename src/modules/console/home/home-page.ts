// The home page, and the list of places that it links to.
import { html } from '@remix-run/html-template'
import type { DeliveryMode } from '../../../config/sending.ts'
import type { FrontPage } from '../../../http/pages/front-page.ts'
import { CONSOLE } from '../../../http/pages/paths.ts'

export const homePage = (delivery: DeliveryMode): FrontPage => ({
  title: 'Home',
  main: html`<h1>Posthaste</h1>
<p>A self-hosted HTTP API for email. ${DELIVERIES[delivery]}</p>
<ul>${PLACES.map(({ address, name, note }) => html`<li><a href="${address}">${name}</a> <br>${note}</li>`)}</ul>`,
})

const DELIVERIES: Record<DeliveryMode, string> = {
  capture: 'Mail is captured: it is stored and shown in the console, and never leaves this machine.',
  relay: 'Mail is sent through an SMTP relay.',
  direct: 'Mail is delivered to the servers of its recipients.',
}

/** For people with a name and a note, for programs under a key. */
export const PLACES = [
  {
    key: 'console',
    address: CONSOLE,
    name: 'Console',
    note: 'The mail of your team and what became of it, and its domains. Sign in with your address.',
  },
  { key: 'docs', address: '/docs', name: 'API documentation', note: 'Every operation, to read and to try.' },
  { key: 'openapi', address: '/openapi.json', name: 'OpenAPI document', note: 'The same for programs and generators.' },
  { key: 'health', address: '/health/ready', name: 'Health', note: 'Whether the service is ready, part by part.' },
]
