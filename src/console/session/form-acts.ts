// Every form of the console is performed as an act, so that the audit log has what it changes; so are the few pages that give something out.
import type { FastifyInstance, FastifyRequest, RouteOptions } from 'fastify'
import type { Context } from '../../context.ts'
import { type Act, newAct, nextAct, performAct } from '../../db/acts.ts'
import { operatorAt, personAt } from '../../http/actor.ts'
import { CONSOLE, OPERATION } from '../../http/pages/paths.ts'
import { isId } from '../../lib/ids.ts'
import { teamsOfPerson } from '../../modules/accounts/people/own-acts.ts'
import { targetOf } from '../../modules/audit/acts.ts'

/** They write nothing: a link to an email for anyone, and all that is known of a contact. */
const READS: readonly string[] = [`POST ${CONSOLE}/emails/:id/share`, `GET ${CONSOLE}/contacts/:id/export`]
const STATUS_OF_READ = 200
/** It works in steps, each of which leaves a row. */
const IN_STEPS = `${CONSOLE}/suppressions/import`

/** What the ids in the addresses of a section are called in the API, where it follows from no rule. */
const PARAMETERS: Readonly<Record<string, string>> = {
  imports: 'contact_import_id',
  properties: 'contact_property_id',
  grants: 'oauth_grant_id',
  received: 'received_email_id',
}

/** Before the routes are registered. The pages on which people sign in, and allow access, name their acts themselves. */
export function formActs(app: FastifyInstance, { clock, repositories }: Pick<Context, 'clock' | 'repositories'>): void {
  app.addHook('onRoute', (route) => {
    if (READS.includes(`${String(route.method)} ${route.url}`)) return recordRead(route)
    if (route.method !== 'POST') return
    const { handler } = route
    const steps = route.url === IN_STEPS ? { next: nextAct(clock) } : {}
    route.handler = function performed(request, reply) {
      const { session, operator } = request
      if (!session && !operator) return handler.call(this, request, reply)
      return actOfForm(request, route.url).then((act) => performAct(act, () => handler.call(this, request, reply), steps))
    }
  })

  function recordRead(route: RouteOptions): void {
    route.onSend = async (request, reply, payload) => {
      if (reply.statusCode === STATUS_OF_READ) await repositories.auditLog.recordRead(await actOfForm(request, route.url))
      return payload
    }
  }

  async function actOfForm(request: FastifyRequest, address: string): Promise<Act> {
    const { session, params, body } = request
    const name = actName(address)
    // A part of the queue that is of one team.
    if (!session) return newAct(name, { teamId: teamIn(body), actor: operatorAt(request), target: NO_RECORD, clock })
    const actor = personAt(request, { id: session.personId, email: session.email })
    const [, , section = ''] = address.split('/')
    if (section === 'sessions')
      return newAct(name, { teamId: await teamsOfPerson(repositories, session.personId), actor, target: NO_RECORD, clock })
    const { id } = (params ?? {}) as { id?: string }
    return newAct(name, { teamId: session.teamId, actor, target: targetOf(parameterOf(section), id), clock })
  }
}

const NO_RECORD: Act['target'] = { type: null, id: null, table: null }

const parameterOf = (section: string): string =>
  PARAMETERS[section] ?? `${section.replaceAll('-', '_').replace(/ies$/, 'y').replace(/s$/, '')}_id`

/** A name is one such as `console.webhooks.secret.rotate`. A form of a list makes a record, and one of a record changes it. */
export function actName(address: string): string {
  const parts = address.slice(CONSOLE.length).split('/').filter(Boolean)
  const words = parts.filter((part) => !part.startsWith(':'))
  const verb = words.length > 1 || address.startsWith(OPERATION) ? [] : [parts.length > 1 ? 'update' : 'create']
  return ['console', ...words, ...verb].join('.')
}

function teamIn(body: unknown): string | null {
  const { team } = (body ?? {}) as { team?: unknown }
  return typeof team === 'string' && isId(team) ? team.toLowerCase() : null
}
