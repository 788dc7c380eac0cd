// Forms of the console are taken from pages of the console only, so that no other site can act for a person who is signed in.
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Context } from '../../context.ts'
import { Failure } from '../../lib/failure.ts'
import { isThisMachine } from '../../lib/peer-addresses.ts'

const CHANGES_NOTHING = ['GET', 'HEAD', 'OPTIONS']

export function ownForms(app: FastifyInstance, { publicUrl }: Pick<Context, 'publicUrl'>): void {
  const publicOrigin = new URL(publicUrl)

  app.addHook('onRequest', async (request) => {
    if (!CHANGES_NOTHING.includes(request.method) && !isFromHere(request))
      throw new Failure('forbidden', 'This form was not sent from a page of ours.')
  })

  /**
   * Browsers send the origin with every form. The service may be reached by other names than PUBLIC_URL, such as localhost; if PUBLIC_URL is https,
   * only by names that a page without TLS cannot have.
   */
  function isFromHere({ headers, host }: FastifyRequest): boolean {
    const origin = URL.parse(headers.origin ?? '')
    if (origin === null) return false
    if (origin.origin === publicOrigin.origin) return true
    if (publicOrigin.protocol === 'https:' && !isThisMachine(origin.hostname)) return false
    return origin.host === host && (origin.protocol === 'http:' || origin.protocol === 'https:')
  }
}
