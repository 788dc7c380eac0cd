// Finds fields that look as if only their owner should read them, but that the request log would keep.
import { type TSchema, Type } from '@sinclair/typebox'
import { describe, expect, it } from 'vitest'
import { describeApi } from '../../src/cli/generated/generated-files.ts'
import { Environment } from '../../src/config/environment.ts'
import { REDACTED, redact } from '../../src/http/validation/logged-body.ts'
import { namedSchema, namedSchemas, secret } from '../../src/lib/validation/common.schema.ts'
import { fieldTree } from '../../src/lib/validation/field-tree.ts'

// Named schemas exist once the files that declare them are loaded. The application loads all of them.
await describeApi()

const LOOKS_SECRET =
  /token|secret|password|passphrase|authori[sz]ation|credential|signature|private|(^|_)(url|code|key|cookie|otp|pin)$|^content$/i

/** Fields that only sound secret. */
const HARMLESS = new Set([
  // Whether there is one.
  'Overview.first_steps.has_api_key',
  // Id and name of the one that made a request.
  'LogSummary.api_key',
  'Log.api_key',
  // A page of a DNS host.
  'DomainDnsHost.guide_url',
  // Where anyone sees an image, as everyone does who gets a mail with it.
  'ImageSummary.url',
  'Image.url',
  'ImageWithUses.url',
  'ImageTakedown.url',
  'ImageTakenDown.url',
  'TeamSettings.logo_url',
  // What a mail server replied.
  'EmailAttempt.code',
  'EmailAttempt.enhanced_code',
  'WebhookAttempt.http_status_code',
  'EmailDeliveryDelayedEvent.data.code',
  'EmailDeliveryDelayedEvent.data.enhanced_code',
  // What was found about a mail.
  'MailCheck.code',
  // What a field of contacts is called.
  'ContactPropertyCreate.key',
  'ContactPropertySummary.key',
  'ContactProperty.key',
  // What connections call a step.
  'AutomationStep.key',
  ...namedSchemas().flatMap(({ $id = '' }) => (/^AutomationStep[A-Z]/.test($id) ? [`${$id}.key`] : [])),
  'AutomationRunStep.key',
  'AutomationMetrics.steps[].key',
  'AutomationSimulation.steps[].key',
  // What a placeholder calls a variable.
  'TemplateVariableInput.key',
  'TemplateVariable.key',
])

/** Paths of the fields that look secret and are not marked; a mark on what holds them counts for them. */
function unmarked(schema: TSchema, path: string, isMarked = false): string[] {
  // A reference is checked under its own name.
  if (typeof schema.$ref === 'string') return []
  const isSecret = isMarked || schema['x-secret'] === true
  const parts: TSchema[] = [...(schema.anyOf ?? []), ...(schema.oneOf ?? []), ...(schema.allOf ?? [])]
  // Nullable(String(secret)) has its mark in the branch that can hold something.
  const isSecretInside = parts.some((part) => part['x-secret'] === true)
  const found = parts.flatMap((part) => unmarked(part, path, isSecret || isSecretInside))
  for (const [name, property] of Object.entries<TSchema>(schema.properties ?? {})) {
    const fieldPath = `${path}.${name}`
    if (LOOKS_SECRET.test(name) && !isSecret && !holdsMark(property) && !HARMLESS.has(fieldPath)) found.push(fieldPath)
    found.push(...unmarked(property, fieldPath, isSecret))
  }
  for (const inner of [schema.items, schema.additionalProperties, ...Object.values(schema.patternProperties ?? {})]) {
    if (inner !== null && typeof inner === 'object') found.push(...unmarked(inner as TSchema, `${path}[]`, isSecret))
  }
  return found
}

const holdsMark = (schema: TSchema): boolean => fieldTree(schema).isSecret

describe('secrets in the schemas', () => {
  it('are marked, all of them', () => {
    expect(namedSchemas().flatMap((schema) => unmarked(schema, schema.$id ?? ''))).toEqual([])
    expect(namedSchemas().length).toBeGreaterThan(20)
  })

  it.each([
    ['a token', Type.Object({ token: Type.String() }), 'Planted.token'],
    ['one that may be null', Type.Object({ signing_secret: Type.Union([Type.String(), Type.Null()]) }), 'Planted.signing_secret'],
    ['one that is nested', Type.Object({ client: Type.Object({ password: Type.String() }) }), 'Planted.client.password'],
    ['one in an array', Type.Object({ list: Type.Array(Type.Object({ download_url: Type.String() })) }), 'Planted.list[].download_url'],
    ['one in a union', Type.Union([Type.String(), Type.Object({ code: Type.String() })]), 'Planted.code'],
    ['one in a record', Type.Record(Type.String(), Type.Object({ authorization: Type.String() })), 'Planted[].authorization'],
    ['the content of a file', Type.Object({ content: Type.String() }), 'Planted.content'],
  ])('would be found without their mark: %s', (_what, schema, path) => expect(unmarked(schema, 'Planted')).toEqual([path]))

  it.each([
    ['on the field', Type.Object({ token: Type.String(secret) })],
    ['on a field that may be null', Type.Object({ token: Type.Union([Type.String(secret), Type.Null()]) })],
    ['on what holds it', Type.Object({ grant: Type.Object({ token: Type.String() }, secret) })],
  ])('count as marked: %s', (_what, schema) => expect(unmarked(schema, 'Planted')).toEqual([]))

  it.each([
    ['ApiKeyCreated', { object: 'api_key', id: 'x', token: 're_1' }, { object: 'api_key', id: 'x', token: REDACTED }],
    ['EmailShared', { object: 'email', id: 'x', url: 'http://x/share/1' }, { object: 'email', id: 'x', url: REDACTED }],
    ['AttachmentItem', { download_url: 'http://x/downloads/1', size: 1 }, { download_url: REDACTED, size: 1 }],
    ['AttachmentItem', { download_url: null }, { download_url: null }],
    ['AttachmentInput', { content: 'aGk=', filename: 'a' }, { content: REDACTED, filename: 'a' }],
    ['AttachmentInput', { content: [1, 2], filename: 'a' }, { content: REDACTED, filename: 'a' }],
    ['AttachmentInput', { content: { type: 'Buffer', data: [1] } }, { content: REDACTED }],
    ['EmailSend', { attachments: [{ content: 'aGk=' }] }, { attachments: [{ content: REDACTED }] }],
    ['AttachmentList', { data: [{ download_url: 'http://x' }] }, { data: [{ download_url: REDACTED }] }],
  ])('are not logged: %s %j', (name, value, expected) => {
    const schema = namedSchema(name)
    expect(redact(fieldTree(schema ?? Type.Never()), value)).toEqual(expected)
  })
})

describe('secrets in the environment', () => {
  it('are marked, all of them', () => {
    const secretUrls = ['DATABASE_URL', 'SMTP_RELAY_URL']
    const found = Object.entries<TSchema>(Environment.properties)
      .filter(([name]) => /TOKEN|SECRET|PASSWORD|API_KEY/.test(name) || secretUrls.includes(name))
      .filter(([, schema]) => schema['x-secret'] !== true)
    expect(found).toEqual([])
  })
})
