// Signing in by a passkey.
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from '@sinclair/typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { PlatformContext } from '../../../http/platform.context.ts'
import { Failure, invalid } from '../../../lib/failure.ts'
import { createSignInSecret } from '../../../lib/ids.ts'
import type { SecretsContext } from '../../secrets/secrets.context.ts'
import type { AccountsContext } from '../accounts.context.ts'
import { askForAddress, enter, STATUS_OF_INVALID, STATUS_OF_REFUSAL, tooMany } from '../people/sign-in-steps.pages.ts'
import { createAskedCookie, returnPath } from '../sessions/sessions.pages.ts'
import { readCredential } from './passkeys.schema.ts'
import { optionsToSignIn, personOfPasskey } from './passkeys.service.ts'

type Context = PlatformContext & SecretsContext & AccountsContext

const config = { access: 'public' as const }
const CredentialForm = Type.Object({ credential: Type.Optional(Type.String()), next: Type.Optional(Type.Unknown()) })

export const passkeyPages: FastifyPluginAsyncTypebox<Context> = async (app, context) => {
  const asked = createAskedCookie(context)

  app.post('/sign-in/passkey', { config, schema: { hide: true } }, async (request, reply) => {
    // The browser keeps the secret by which a link recognizes it.
    const secret = asked.read(request) ?? createSignInSecret()
    const { options } = await optionsToSignIn(context, secret)
    asked.set(reply, secret)
    return reply.send({ options })
  })

  app.post('/sign-in/passkey/verify', { config, schema: { hide: true, body: CredentialForm } }, async (request, reply) => {
    const next = returnPath(request.body.next)
    const personId = await personOf(request)
    if (personId instanceof Failure) return refuse(request, reply, { next, problem: personId })
    const entered = await enter(context, { request, reply }, { personId, teamId: null, method: 'passkey', next })
    if (entered === null) return refuse(request, reply, { next, problem: invalid('There is no such person anymore.') })
    return reply.redirect(entered, 303)
  })

  async function personOf(request: FastifyRequest<{ Body: { credential?: string } }>): Promise<string | Failure> {
    try {
      return await personOfPasskey(context, readCredential(request.body.credential), asked.read(request))
    } catch (error) {
      if (error instanceof Failure && ['validation', 'forbidden'].includes(error.kind)) return error
      throw error
    }
  }

  async function refuse(
    request: FastifyRequest,
    reply: FastifyReply,
    { next, problem }: { next: string | null; problem: Failure },
  ): Promise<FastifyReply> {
    const refusal = await app.countFailedCredential(request, reply)
    if (refusal) return tooMany(reply, refusal)
    const status = problem.kind === 'validation' ? STATUS_OF_INVALID : STATUS_OF_REFUSAL
    return askForAddress(context, reply.code(status), { next, problem: problem.message })
  }
}
