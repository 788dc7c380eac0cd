// Replaces the personal links in replies to credentials that may not change contacts: those links change what a person gets.
import type { FastifyInstance } from 'fastify'
import { withoutPersonalLinksIn } from '../lib/personal-links.ts'
import { mayChangeContacts } from '../schemas/oauth-scopes.ts'

/** Register it before every other hook that reads a reply. */
export function personalLinks(app: FastifyInstance): void {
  app.addHook('preSerialization', (request, _reply, payload, done) => {
    const { holder } = request
    done(null, holder === null || mayChangeContacts(holder) ? payload : withoutPersonalLinksIn(payload))
  })
}
