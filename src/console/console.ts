// The console: what a team has, for people. Every page except signing in needs a session.
import cookies from '@fastify/cookie'
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Context } from '../context.ts'
import { PAGE_HEADERS, servePageFiles } from '../http/pages/document.ts'
import { CONSOLE, OPERATION } from '../http/pages/paths.ts'
import { notFound } from '../lib/failure.ts'
import { isOfOperators, sessionFinder, sessionGate, signInAddress } from '../modules/accounts/sessions/sessions.pages.ts'
import { ofTeam, type Session } from '../modules/accounts/sessions/sessions.service.ts'
import { consentRoutes } from '../modules/oauth/consent/consent.routes.ts'
import { deviceRoutes } from '../modules/oauth/consent/device.routes.ts'
import { keySection } from './api-keys/key-section.ts'
import { automationSection } from './automations/automation-section.ts'
import { AUTOMATIONS_STYLE } from './automations/automations-style.ts'
import { broadcastSection } from './broadcasts/broadcast-section.ts'
import { BROADCAST_FILES } from './broadcasts/broadcasts-style.ts'
import { AUDIENCE_STYLE } from './contacts/audience-style.ts'
import { contactSection } from './contacts/contact-section.ts'
import { domainSection } from './domains/domain-section.ts'
import { DOMAIN_FILES } from './domains/domains-style.ts'
import { emailSection } from './emails/email-section.ts'
import { EMAIL_FILES } from './emails/emails-style.ts'
import { eventSection } from './events/event-section.ts'
import { grantSection } from './grants/grant-section.ts'
import { HOME_FILES } from './home/home-page.ts'
import { importSection } from './imports/import-section.ts'
import { liveReplies } from './live/live-replies.ts'
import { logSection } from './logs/log-section.ts'
import { LOGS_STYLE } from './logs/logs-style.ts'
import { METRICS_FILES } from './metrics/metrics-page.ts'
import { metricsSection } from './metrics/metrics-section.ts'
import { operationSection } from './operation/operation-section.ts'
import { OPERATION_STYLE } from './operation/operator-page.ts'
import { OVERVIEW_FILES } from './overview/overview-page.ts'
import { overviewSection } from './overview/overview-section.ts'
import { propertySection } from './properties/property-section.ts'
import { receivedSection } from './received/received-section.ts'
import { searchSection } from './search/search-section.ts'
import { segmentSection } from './segments/segment-section.ts'
import { documentationAccessRoutes } from './session/documentation-access.ts'
import { formActs } from './session/form-acts.ts'
import { ownForms } from './session/own-forms.ts'
import { sessionsSection } from './session/sessions-section.ts'
import { consolePage } from './shell/console-page.ts'
import { frontPage } from './shell/front-page.ts'
import { type Notice, notice } from './shell/notice.ts'
import { SHELL_FILES } from './shell/own-page.ts'
import { roleGate, roleViews } from './shell/role-views.ts'
import { sectionOf } from './shell/sections.ts'
import { suppressionSection } from './suppressions/suppression-section.ts'
import { SUPPRESSIONS_STYLE } from './suppressions/suppressions-style.ts'
import { templateSection } from './templates/template-section.ts'
import { TEMPLATE_FILES } from './templates/templates-style.ts'
import { topicSection } from './topics/topic-section.ts'
import { webhookSection } from './webhooks/webhook-section.ts'
import { WEBHOOK_FILES } from './webhooks/webhooks-style.ts'

/** The routes below the address of each section (shell/sections.ts). */
const SECTION_ROUTES: FastifyPluginAsyncTypebox<Context>[] = [
  overviewSection,
  emailSection,
  receivedSection,
  contactSection,
  segmentSection,
  topicSection,
  propertySection,
  importSection,
  broadcastSection,
  automationSection,
  templateSection,
  domainSection,
  suppressionSection,
  metricsSection,
  keySection,
  logSection,
  eventSection,
  webhookSection,
  grantSection,
  sessionsSection,
  searchSection,
]
/** Files that pages name by address. Some belong to several sections. */
const FILES = new Set([
  ...SHELL_FILES,
  ...HOME_FILES,
  ...OVERVIEW_FILES,
  OPERATION_STYLE,
  ...EMAIL_FILES,
  AUDIENCE_STYLE,
  ...BROADCAST_FILES,
  AUTOMATIONS_STYLE,
  ...TEMPLATE_FILES,
  ...DOMAIN_FILES,
  SUPPRESSIONS_STYLE,
  ...METRICS_FILES,
  LOGS_STYLE,
  ...WEBHOOK_FILES,
])

export const consoleRoutes: FastifyPluginAsyncTypebox<Context> = async (app, context) => {
  servePageFiles(app, FILES)
  await app.register((scope) => consoleScope(scope, context), { prefix: CONSOLE })
}

const consoleScope: FastifyPluginAsyncTypebox<Context> = async (app, context) => {
  await app.register(cookies)
  const findSession = sessionFinder(app, context)

  app.addHook('onRequest', async (_request, reply) => {
    reply.headers(PAGE_HEADERS)
  })
  liveReplies(app, context)
  ownForms(app, context)
  formActs(app, context)
  // An error whose sentence was written for programs becomes a page with the same status and the same sentence.
  app.addHook('onSend', async (request, reply, payload) => {
    const { statusCode } = reply
    if (statusCode < 400 || typeof payload !== 'string' || !isJson(reply.getHeader('content-type'))) return payload
    const text = await problemPage(request, reply, JSON.parse(payload))
    reply.headers({ ...PAGE_HEADERS, 'content-length': Buffer.byteLength(text) })
    return text
  })
  roleViews(app)
  // A handler of its own, so that the hooks above also run for unknown addresses.
  app.setNotFoundHandler(() => {
    throw notFound('Page')
  })

  await app.register(documentationAccessRoutes(findSession), context)
  await app.register(consentRoutes, context)
  await app.register(deviceRoutes, context)
  await app.register((scope) => operationSection(findSession)(scope, context), { prefix: '/operation' })
  await app.register(async (signedIn) => {
    sessionGate(signedIn, findSession, context)
    roleGate(signedIn)
    for (const routes of SECTION_ROUTES) await signedIn.register(routes, context)
  })

  async function problemPage(request: FastifyRequest, reply: FastifyReply, { message }: { message: string }): Promise<string> {
    const { statusCode } = reply
    const title = TITLES[statusCode] ?? 'This did not work'
    const section = sectionOf(request.url)
    const main = notice({ title, message: request.is404 && statusCode === 404 ? NOTHING_THERE : message, way: wayOut(request) })
    const viewer = await viewerOf(request, reply)
    return viewer === null ? frontPage({ title, main }) : consolePage({ title, section, teamName: viewer.teamName, main })
  }

  /** The person who sees an error; null if no one is signed in. While the service has a fault, or its limit is reached, nothing more is asked of it. */
  async function viewerOf(request: FastifyRequest, reply: FastifyReply): Promise<{ teamName: string | null } | null> {
    const { statusCode } = reply
    if (statusCode >= 500 || statusCode === STATUS_OF_TOO_MANY) return request.session && { teamName: null }
    try {
      const session = request.session ?? (await countedSession(request, reply))
      return session && { teamName: session.teamName }
    } catch (error) {
      // The page of an error must not fail itself.
      request.log.warn({ err: error }, 'viewer of an error page not read')
      return null
    }
  }

  /** At an address that does not exist, where the gate counted nothing. Over the limit, the page is that of a stranger. */
  async function countedSession(request: FastifyRequest, reply: FastifyReply): Promise<Session | null> {
    const found = await findSession(request)
    request.session = found && ofTeam(found)
    return request.session && ((await app.countTeamRequest(request, reply)) ? null : request.session)
  }
}

const STATUS_OF_TOO_MANY = 429

const NOTHING_THERE = 'There is nothing at this address.'

const TITLES: Partial<Record<number, string>> = {
  403: 'Not allowed',
  404: 'Not found',
  422: 'Not valid',
  429: 'Too many requests',
  503: 'Not available at the moment',
}

/** For a team there is nothing below the address of operators, also for an operator whose session has ended. */
const wayOut = ({ url, method, operator }: FastifyRequest): Notice['way'] =>
  operator
    ? { address: OPERATION, name: 'Go to the queue' }
    : isOfOperators(url)
      ? { address: signInAddress({ url: method === 'GET' ? url : OPERATION, method: 'GET' }), name: 'Sign in as an operator' }
      : { address: sectionOf(url) ?? CONSOLE, name: 'Go to the console' }

const isJson = (type: unknown): boolean => typeof type === 'string' && type.startsWith('application/json')
