// What a role sees of the console: each section needs the scopes of the operations that show the same.
import { html } from '@remix-run/html-template'
import type { FastifyInstance } from 'fastify'
import { CONSOLE } from '../../http/pages/paths.ts'
import { includesScope, lackingRole, READ_NUMBERS, SEND_EMAILS } from '../../modules/accounts/scopes.ts'
import { requireSession } from '../../modules/accounts/sessions/sessions.pages.ts'
import type { Session } from '../../modules/accounts/sessions/sessions.service.ts'
import { SECTION_GROUPS } from './sections.ts'

/** The sections of the API that each shows, by the first part of its address. */
const SHOWN: Readonly<Record<string, readonly string[]>> = {
  ...{ emails: ['emails'], received: ['received-emails'], broadcasts: ['broadcasts'], automations: ['automations'] },
  ...{ templates: ['templates'], domains: ['domains'], suppressions: ['suppressions'], contacts: ['contacts'], segments: ['segments'] },
  ...{ topics: ['topics'], properties: ['contact-properties'], imports: ['contact-imports'], 'api-keys': ['api-keys'], logs: ['logs'] },
  ...{ events: ['events'], webhooks: ['webhooks'], grants: ['oauth'] },
}
/** The overview and the search show records of all sections. */
const EVERY_SECTION = Object.values(SHOWN).flat()

/** Forms that need no more than a narrow scope. */
const NARROW: readonly (readonly [RegExp, string])[] = [
  [/^\/console\/contacts\/[^/]+\/topics\/[^/]+$/, 'contacts:subscriptions'],
  [/^\/console\/suppressions\/[^/]+\/remove$/, 'suppressions:delete'],
]

/** The scopes that a page or a form needs, all of them. What is not known needs those of every section. */
export function scopesOfAddress(method: string, path: string): readonly string[] {
  const [, , section = ''] = path.split('/')
  if (section === 'sessions') return []
  const isRead = method === 'GET' || method === 'HEAD'
  if (section === 'metrics') return [READ_NUMBERS]
  if (section === 'first-email') return [SEND_EMAILS, ...EVERY_SECTION.map((name) => `${name}:read`)]
  if (isRead) return (SHOWN[section] ?? EVERY_SECTION).map((name) => `${name}:read`)
  const narrow = NARROW.find(([form]) => form.test(path))
  if (narrow) return [narrow[1]]
  return (SHOWN[section] ?? EVERY_SECTION).map((name) => `${name}:write`)
}

type Viewer = Pick<Session, 'scopes'>

const may = ({ scopes }: Viewer, method: string, path: string): boolean =>
  scopesOfAddress(method, path).every((scope) => includesScope(scopes, scope))

/** Lets people pass to what their role may read or send. After the gate of sessions. */
export function roleGate(app: FastifyInstance): void {
  app.addHook('onRequest', async (request, reply) => {
    const session = requireSession(request)
    // The pattern of the route: an address can be written in several ways.
    const path = request.routeOptions.url ?? ''
    if (may(session, request.method, path)) return
    if (path === CONSOLE || path === `${CONSOLE}/`) return reply.redirect(firstAddress(session), 303)
    throw lackingRole(session)
  })
}

/** Shows who is signed in, and leaves out of pages what their role may not read or send. After the hook that makes pages of errors. */
export function roleViews(app: FastifyInstance): void {
  app.addHook('onSend', async ({ session, url }, reply, payload) => {
    if (session === null || typeof payload !== 'string' || !payload.includes(SIGN_OUT)) return payload
    const page = pageFor(session, payload, url.split('?', 1)[0] ?? '')
    if (reply.hasHeader('content-length')) reply.header('content-length', Buffer.byteLength(page))
    return page
  })
}

const SECTIONS: readonly { name: string; address: string }[] = SECTION_GROUPS.flatMap(({ sections }) => [...sections])
const ofConsole = (address: string): boolean => address === CONSOLE || address.startsWith(`${CONSOLE}/`)

/** Where someone begins who may not see the overview. */
const firstAddress = (viewer: Viewer): string =>
  SECTIONS.find(({ address }) => address !== CONSOLE && ofConsole(address) && may(viewer, 'GET', address))?.address ?? `${CONSOLE}/sessions`

const SIGN_OUT = `<form method="post" action="${CONSOLE}/sign-out">`

function pageFor(session: Session, page: string, path: string): string {
  const named = page.replace(
    SIGN_OUT,
    () => `${html`<span class="team" title="${session.email}"><bdi>${session.name}</bdi></span>`}\n${SIGN_OUT}`,
  )
  return withoutForms(withoutSections(named, session), session, path)
}

function withoutSections(page: string, session: Session): string {
  const hidden = [...SECTIONS, { name: 'Search', address: `${CONSOLE}/search` }].filter(
    ({ address }) => ofConsole(address) && !may(session, 'GET', address),
  )
  return hidden.reduce(
    (left, { name, address }) =>
      left
        .replaceAll(`<li><a href="${address}">${name}</a></li>`, '')
        .replaceAll(`<li><a href="${address}" aria-current="true">${name}</a></li>`, ''),
    page,
  )
}

/** Texts of others are escaped, so each of these is a form of ours. */
function withoutForms(page: string, session: Session, path: string): string {
  const [before = '', ...forms] = page.split('<form')
  const shown = forms.map((form) => {
    const head = form.slice(0, form.indexOf('>'))
    const method = head.includes('method="post"') ? 'POST' : 'GET'
    const action = attributeIn(head, 'action') ?? attributeIn(form.slice(0, form.indexOf('</form>')), 'formaction') ?? path
    const isOpen = action === `${CONSOLE}/sign-out` || may(session, method, action.split('?', 1)[0] ?? '')
    return isOpen ? `<form${form}` : form.slice(form.indexOf('</form>') + '</form>'.length)
  })
  return before + shown.join('')
}

function attributeIn(text: string, name: string): string | null {
  const start = text.indexOf(` ${name}="`)
  if (start === -1) return null
  const value = text.slice(start + name.length + 3)
  return value.slice(0, value.indexOf('"'))
}
