// Forms of the console are taken from pages of the console only, so that no other site can act for a person who is signed in.
import type { FastifyInstance } from 'fastify'
import { Failure } from '../../../lib/failure.ts'
import { createOwnPages } from './own-pages.ts'

const CHANGES_NOTHING = ['GET', 'HEAD', 'OPTIONS']

/** Browsers send the origin with every form. */
export function ownForms(app: FastifyInstance, { publicUrl }: { publicUrl: string }): void {
  const { isOwnOrigin } = createOwnPages(publicUrl)
  app.addHook('onRequest', async ({ method, headers, host }) => {
    if (!CHANGES_NOTHING.includes(method) && !isOwnOrigin(headers.origin ?? '', host))
      throw new Failure('forbidden', 'This form was not sent from a page of ours.')
  })
}
