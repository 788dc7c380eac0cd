// The home page, and the list of places that it links to.
import { html } from '@remix-run/html-template'
import type { DeliveryMode } from '../../../config/sending.ts'
import type { FrontPage } from '../../../http/pages/front-page.ts'
import { CONSOLE } from '../../../http/pages/paths.ts'

export const homePage = (delivery: DeliveryMode): FrontPage => ({
  title: 'Home',
  main: html`<h1>Posthaste</h1>
<p>${WHAT_IT_IS} ${DELIVERIES[delivery]}</p>
<ul>${PLACES.map(({ address, name, note }) => html`<li><a href="${address}">${name}</a> <br>${note}</li>`)}</ul>`,
})

/** What someone needs to know who has only heard the name. */
const WHAT_IT_IS =
  'Posthaste sends the email of your team, such as newsletters, receipts and password links, and shows what became of each. It runs on a server of your own. People use the console; programs use the API.'

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
    note: 'Write newsletters, look what became of a mail, and take care of contacts, domains and colleagues. Sign in with your address.',
  },
  { key: 'docs', address: '/docs', name: 'API documentation', note: 'For those who write programs: every operation, to read and to try.' },
  { key: 'openapi', address: '/openapi.json', name: 'OpenAPI document', note: 'The same for programs and generators.' },
  { key: 'health', address: '/health/ready', name: 'Health', note: 'Whether the service is ready, part by part.' },
]
