// Who does something: what the audit log says of them.
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { storableText } from '../lib/text.ts'
import type { Caller } from './operation.ts'

export const ACTOR_KINDS = ['person', 'key', 'grant', 'operator', 'command_line', 'automation', 'system'] as const

export type ActorKind = (typeof ACTOR_KINDS)[number]

export type Actor = {
  kind: ActorKind
  /** The id of the person, the key, the grant or the automation. */
  id: string | null
  /** The name that it had then. The command line has that of its user on the system. */
  name: string | null
  /** Where the request came from. */
  address: string | null
  userAgent: string | null
}

const USER_AGENT_LENGTH_MAX = 512

declare module 'fastify' {
  interface FastifyRequest {
    /** Who calls an operation, and from where. */
    readonly actor: Actor
  }
}

export function actors(app: FastifyInstance): void {
  app.decorateRequest('actor', {
    getter() {
      // The operations of the operator have no credential of a team.
      const isOperators = this.routeOptions.config.access === 'operator'
      const who = isOperators
        ? operatorAs(this.signedIn)
        : this.signedIn
          ? personAs(this.signedIn)
          : this.holder
            ? actorOf(this.holder)
            : OPERATOR
      return { ...who, ...placeOf(this) }
    },
  })
}

const OPERATOR = { kind: 'operator', id: null, name: null } as const

function actorOf({ apiKeyId, grant, person }: Caller): Pick<Actor, 'kind' | 'id' | 'name'> {
  if (person) return personAs(person)
  return grant ? { kind: 'grant', id: grant.id, name: null } : { kind: 'key', id: apiKeyId, name: null }
}

/** A key, or a person who is an operator. */
const operatorAs = (person: { id: string; email: string } | null) =>
  person === null ? OPERATOR : { kind: 'operator' as const, id: person.id, name: person.email }

const personAs = ({ id, email }: { id: string | null; email: string }) => ({ kind: 'person' as const, id, name: email })

/** A person who sent a form of a page. `id`: null until it is known. */
export const personAt = (request: FastifyRequest, person: { id: string | null; email: string }): Actor => ({
  ...personAs(person),
  ...placeOf(request),
})

/** Where a request came from. */
const placeOf = ({ ip, headers }: FastifyRequest): Pick<Actor, 'address' | 'userAgent'> => ({
  address: ip,
  userAgent: storableText(headers['user-agent'] ?? '', USER_AGENT_LENGTH_MAX) || null,
})
