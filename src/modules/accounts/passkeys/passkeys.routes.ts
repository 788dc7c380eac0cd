// The passkeys of a person: added, listed and removed by themselves, and used to confirm that it is them. They sign in on a page.
import { declareOperations, type Routes } from '../../../http/operation.ts'
import { plainResource } from '../../../http/plain-resource.ts'
import type { PlatformContext } from '../../../http/platform.context.ts'
import { toList } from '../../../http/resource.ts'
import { toTimestamp } from '../../../lib/clock.ts'
import { pageRequest } from '../../../lib/page-request.ts'
import { storableText } from '../../../lib/text.ts'
import { EXAMPLE_TIME, WholeListQuery } from '../../../lib/validation/common.schema.ts'
import type { SecretsContext } from '../../secrets/secrets.context.ts'
import type { AccountsContext } from '../accounts.context.ts'
import { EXAMPLE_ME, ME, Me } from '../people/me.schema.ts'
import { readMe } from '../people/me.service.ts'
import { signInFrom } from '../sessions/sessions.pages.ts'
import { siteOf } from './ceremonies.ts'
import { PASSKEYS_PER_PERSON_MAX, type PasskeyRow } from './passkeys.repository.ts'
import {
  EXAMPLE_NEW_CREDENTIAL,
  EXAMPLE_USED_CREDENTIAL,
  PASSKEY_NAME_LENGTH_MAX,
  PASSKEYS,
  Passkey,
  PasskeyConfirmation,
  PasskeyCreate,
  PasskeyCreationOptions,
  PasskeyDeletion,
  PasskeyList,
  PasskeyParams,
  PasskeyRequestOptions,
} from './passkeys.schema.ts'
import { addPasskey, confirmByPasskey, type Options, optionsToAdd, optionsToConfirm } from './passkeys.service.ts'

type Context = PlatformContext & SecretsContext & AccountsContext

const operation = declareOperations(PASSKEYS)
const confirmation = declareOperations(ME)
const passkey = plainResource(PASSKEYS, 'passkey')
/** What both need is in the guide. */
const EXAMPLE_OPTIONS = { object: 'passkey_options' as const, expires_at: EXAMPLE_TIME }
const WHEN_OLD = 'when they did not sign in within the last 10 minutes'

export const passkeyRoutes: Routes<Context> = async (app, { context }) => {
  const { passkeys } = context.repositories
  const host = siteOf(context.publicUrl)?.host ?? null

  app.post(
    '/me/passkeys/options',
    operation({
      id: 'me.passkeys.options.create',
      confirms: WHEN_OLD,
      summary: 'Create options for a new passkey',
      description: `Returns what the browser of the person needs to make a passkey: \`navigator.credentials.create()\`. Its answer is taken for 5 minutes, in this session only, by \`POST /me/passkeys\`. A person has at most ${PASSKEYS_PER_PERSON_MAX} passkeys. Where this installation has an IP address in place of a name, this is a 403: browsers make no passkeys for those.`,
      access: 'person',
      audit: 'never',
      reply: { 200: PasskeyCreationOptions },
      example: {
        reply: { ...EXAMPLE_OPTIONS, options: { challenge: 'MS5kYmM', rp: { id: 'posthaste.example.com', name: 'Posthaste' } } },
      },
    }),
    async ({ person }) => toOptions(await optionsToAdd(context, person)),
  )

  app.post(
    '/me/passkeys',
    operation({
      id: 'me.passkeys.create',
      confirms: WHEN_OLD,
      summary: 'Add a passkey',
      description:
        'Takes what the browser answered to the options, and adds the passkey. It signs the person in without a mail. The person gets a mail that says so.',
      access: 'person',
      audit: 'always',
      body: PasskeyCreate,
      reply: { 201: Passkey },
      example: { body: { name: 'Laptop', credential: EXAMPLE_NEW_CREDENTIAL }, reply: PASSKEYS.example },
    }),
    async (request) => {
      const { person, body } = request
      const { address, browser } = signInFrom(request, 'passkey')
      const name = storableText(body.name.trim(), PASSKEY_NAME_LENGTH_MAX)
      return toPasskey(host)(await addPasskey(context, person, { ...body, name, from: { address, browser } }))
    },
  )

  app.get(
    '/me/passkeys',
    operation({
      id: 'me.passkeys.list',
      summary: 'List your passkeys',
      description: 'Returns the passkeys of the person, newest first.',
      access: 'person',
      audit: 'never',
      query: WholeListQuery,
      reply: { 200: PasskeyList },
      example: { reply: passkey.examples.list },
    }),
    async ({ person, query }) => toList(await passkeys.listOf(person.id, pageRequest(query, 'optional')), toPasskey(host)),
  )

  app.delete(
    '/me/passkeys/:passkey_id',
    operation({
      id: 'me.passkeys.delete',
      summary: 'Remove a passkey',
      description: 'Removes a passkey at once: it signs no one in anymore. Sessions that it began stay open.',
      access: 'person',
      audit: 'always',
      params: PasskeyParams,
      reply: { 200: PasskeyDeletion },
      example: { reply: passkey.examples.deletion },
    }),
    async ({ person, params }) => {
      const id = params.passkey_id.toLowerCase()
      return passkey.deletion((await passkeys.remove(person.id, id)) ? { id } : null)
    },
  )

  app.post(
    '/me/confirmation/passkey',
    confirmation({
      id: 'me.confirmation.passkey.create',
      summary: 'Create options for a confirmation',
      description:
        'Returns what the browser of the person needs to use one of their passkeys: `navigator.credentials.get()`. Its answer is taken for 5 minutes, in this session only, by `POST /me/confirmation/passkey/verify`. A person without a passkey gets a 403, and confirms by a code.',
      access: 'person',
      audit: 'never',
      reply: { 200: PasskeyRequestOptions },
      example: { reply: { ...EXAMPLE_OPTIONS, options: { challenge: 'MS5kYmM', rpId: 'posthaste.example.com' } } },
    }),
    async ({ person }) => toOptions(await optionsToConfirm(context, person)),
  )

  app.post(
    '/me/confirmation/passkey/verify',
    confirmation({
      id: 'me.confirmation.passkey.verify',
      summary: 'Confirm with a passkey',
      description:
        'Takes what the browser answered to the options. It counts as a code that was mailed does, for 10 minutes in this session.',
      access: 'person',
      audit: 'always',
      body: PasskeyConfirmation,
      reply: { 200: Me },
      example: { body: { credential: EXAMPLE_USED_CREDENTIAL }, reply: EXAMPLE_ME },
    }),
    async ({ person, body }) => readMe(context, { ...person, confirmedAt: await confirmByPasskey(context, person, body.credential) }),
  )
}

const toOptions = ({ options, expiresAt }: Options) => ({
  ...{ object: 'passkey_options' as const, expires_at: toTimestamp(expiresAt), options },
})

/** @param host that of this installation; null: it has none */
const toPasskey =
  (host: string | null) =>
  ({ createdAt, usedAt, ...row }: PasskeyRow) => ({
    ...row,
    is_usable: row.host === host,
    ...{ created_at: toTimestamp(createdAt), last_used_at: toTimestamp(usedAt) },
  })
