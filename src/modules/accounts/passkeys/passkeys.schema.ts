import { type Static, type TSchema, Type } from '@sinclair/typebox'
import { IdParams, Resource } from '../../../http/resource.ts'
import { PERSON_SECTIONS } from '../../../http/sections.ts'
import { invalid } from '../../../lib/failure.ts'
import { createBodyReader } from '../../../lib/validation/body-validator.ts'
import {
  Deletion,
  EXAMPLE_TIME,
  Id,
  Kind,
  List,
  Name,
  Named,
  Nullable,
  Ref,
  secret,
  Timestamp,
} from '../../../lib/validation/common.schema.ts'

export const PASSKEY_NAME_LENGTH_MAX = 100
/** Usual ones have 22 to 100 characters. A form with one has to fit into 4 KB. */
const CREDENTIAL_ID_LENGTH_MAX = 700
/** An origin of 250 characters with a signed challenge, twice over. */
const CLIENT_DATA_LENGTH_MAX = 2_000
const ATTESTATION_LENGTH_MAX = 8_000
const AUTHENTICATOR_DATA_LENGTH_MAX = 1_000
const SIGNATURE_LENGTH_MAX = 1_000
const USER_HANDLE_LENGTH_MAX = 100
/** There are seven. */
const TRANSPORTS_MAX = 10

const EXAMPLE_CREDENTIAL = 'AqLvTfYt0aWj3w5uUu1gTg'
const base64url = (lengthMax: number, description: string, example: string) =>
  Type.String({ minLength: 1, maxLength: lengthMax, pattern: '^[A-Za-z0-9_-]+$', description, examples: [example] })
const name = { lengthMax: PASSKEY_NAME_LENGTH_MAX, examples: ['Laptop'] }

export const Passkey = Named(
  'Passkey',
  Type.Object(
    {
      id: Id('Id of the passkey.'),
      name: Type.String({ description: 'What the person calls it.', examples: name.examples }),
      host: Type.String({ description: 'The host for which it was made. It works at no other.', examples: ['posthaste.example.com'] }),
      is_usable: Type.Boolean({ description: 'Whether that is the host of this installation.' }),
      address: Type.String({ description: 'The address from which it was added.', examples: ['198.51.100.7'] }),
      browser: Type.String({
        description: 'What the browser said of itself that added it.',
        examples: ['Mozilla/5.0 (X11; Linux x86_64)'],
      }),
      created_at: Timestamp('When it was added.'),
      last_used_at: Nullable(Timestamp('When it was last used; null if it never was.')),
    },
    { description: 'A passkey of a person: a key on a device, which signs them in after the device has checked that it is them.' },
  ),
)
export const PASSKEYS = Resource({
  tag: PERSON_SECTIONS.me,
  noun: 'Passkey',
  parameter: 'passkey_id',
  item: Passkey,
  example: {
    ...{ id: '0193a5c2-7d4e-7b1a-9c3f-2e5d8a6b4c25', name: 'Laptop', host: 'posthaste.example.com', is_usable: true },
    ...{ address: '198.51.100.7', browser: 'Mozilla/5.0 (X11; Linux x86_64)', created_at: EXAMPLE_TIME, last_used_at: null },
  },
})
export const PasskeyParams = IdParams(PASSKEYS)
export const PasskeyList = List('PasskeyList', 'passkeys', Passkey)
export const PasskeyDeletion = Deletion('PasskeyDeletion', 'passkey')

/** `reads`: the function of browsers that takes them. */
const options = (schemaName: string, { description, reads }: { description: string; reads: string }) =>
  Named(
    schemaName,
    Type.Object(
      {
        object: Kind('passkey_options'),
        expires_at: Timestamp('Until when the answer is taken.'),
        options: Type.Record(Type.String(), Type.Unknown(), {
          description: `As \`${reads}\` of browsers takes them (Web Authentication, level 3).`,
        }),
      },
      { description },
    ),
  )
export const PasskeyCreationOptions = options('PasskeyCreationOptions', {
  description: 'What a browser has to know to make a passkey.',
  reads: 'PublicKeyCredential.parseCreationOptionsFromJSON()',
})
export const PasskeyRequestOptions = options('PasskeyRequestOptions', {
  description: 'What a browser has to know to use a passkey.',
  reads: 'PublicKeyCredential.parseRequestOptionsFromJSON()',
})

const clientDataJSON = base64url(
  CLIENT_DATA_LENGTH_MAX,
  'What the browser signed for: the challenge and the origin.',
  'eyJ0eXBlIjoid2ViYXV0aG4',
)
const credentialId = base64url(CREDENTIAL_ID_LENGTH_MAX, 'Id of the credential.', EXAMPLE_CREDENTIAL)

const PasskeyAttestation = Named(
  'PasskeyAttestation',
  Type.Object(
    {
      clientDataJSON,
      attestationObject: base64url(ATTESTATION_LENGTH_MAX, 'The new public key, as the device states it.', 'o2NmbXRkbm9uZQ'),
      transports: Type.Optional(
        Type.Array(Type.String({ maxLength: 20 }), {
          maxItems: TRANSPORTS_MAX,
          description: 'How the device can be reached.',
          examples: [['internal', 'hybrid']],
        }),
      ),
    },
    { description: 'What a device answers that has made a passkey.' },
  ),
)
const PasskeyAssertion = Named(
  'PasskeyAssertion',
  Type.Object(
    {
      clientDataJSON,
      authenticatorData: base64url(AUTHENTICATOR_DATA_LENGTH_MAX, 'What the device says of the use.', 'SZYN5YgOjGh0NBcP'),
      signature: { ...base64url(SIGNATURE_LENGTH_MAX, 'The signature over both.', 'MEUCIQDx'), ...secret },
      userHandle: Type.Optional(
        Nullable(base64url(USER_HANDLE_LENGTH_MAX, 'Whose passkey it is, as it was stored with it.', 'AZOlwn1OexqcPy5dimtMIQ')),
      ),
    },
    { description: 'What a device answers that has used a passkey.' },
  ),
)

const credential = <Response extends TSchema>(schemaName: string, response: Response) =>
  Named(
    schemaName,
    Type.Object(
      { id: credentialId, response: Ref(response) },
      { description: 'A credential as `toJSON()` of browsers writes it. Its other fields are ignored.' },
    ),
  )
const NewPasskeyCredential = credential('NewPasskeyCredential', PasskeyAttestation)
export const PasskeyCredential = credential('PasskeyCredential', PasskeyAssertion)
export type NewPasskeyCredential = Static<typeof NewPasskeyCredential>
export type PasskeyCredential = Static<typeof PasskeyCredential>

export const PasskeyCreate = Named(
  'PasskeyCreate',
  Type.Object(
    {
      name: Name({ ...name, description: `What to call it, at most ${PASSKEY_NAME_LENGTH_MAX} characters.` }),
      credential: { ...Ref(NewPasskeyCredential), ...secret },
    },
    { description: 'A passkey that a browser has made.' },
  ),
)
export const PasskeyConfirmation = Named(
  'PasskeyConfirmation',
  Type.Object({ credential: { ...Ref(PasskeyCredential), ...secret } }, { description: 'The use of a passkey.' }),
)

export const EXAMPLE_NEW_CREDENTIAL: NewPasskeyCredential = {
  id: EXAMPLE_CREDENTIAL,
  response: { clientDataJSON: 'eyJ0eXBlIjoid2ViYXV0aG4', attestationObject: 'o2NmbXRkbm9uZQ', transports: ['internal'] },
}
export const EXAMPLE_USED_CREDENTIAL: PasskeyCredential = {
  id: EXAMPLE_CREDENTIAL,
  response: { clientDataJSON: 'eyJ0eXBlIjoid2ViYXV0aG4', authenticatorData: 'SZYN5YgOjGh0NBcP', signature: 'MEUCIQDx' },
}

const readPasskeyCredential = createBodyReader(PasskeyCredential)

/** What a form brings as JSON. @throws Failure `validation` */
export function readCredential(text: string | undefined): PasskeyCredential {
  try {
    return readPasskeyCredential(JSON.parse(text ?? ''))
  } catch (error) {
    throw error instanceof SyntaxError ? invalid('The form has no passkey. Reload the page, with scripts.') : error
  }
}
