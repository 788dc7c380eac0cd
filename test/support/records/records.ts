// The records with which the house tests call an operation: those that its path and the body of its example name, and one of its resource. Each
// is made when it is first needed, and kept until a call has changed it.
import type { Operation } from '../../../src/http/operation.ts'
import { RESOURCES, resourceOf } from '../../../src/modules/routes.ts'
import type { TestService } from '../servers/service.ts'
import {
  audienceRecord,
  broadcastRecord,
  broadcastVersionRecord,
  contactImportRecord,
  contactJobRecord,
  contactPropertyRecord,
  contactRecord,
  segmentRecord,
  suppressionRecord,
  topicRecord,
} from './audience.ts'
import {
  attachmentRecord,
  domainClaimRecord,
  domainRecord,
  emailRecord,
  imageRecord,
  receivedAttachmentRecord,
  receivedEmailRecord,
  templateRecord,
  templateVersionRecord,
} from './emails.ts'
import type { Parameter, RecordBuilder } from './record-builder.ts'
import {
  apiKeyRecord,
  auditLogEntryRecord,
  automationRecord,
  automationRunRecord,
  eventRecord,
  invitationRecord,
  logRecord,
  memberRecord,
  oauthGrantRecord,
  teamRecord,
  webhookEventRecord,
  webhookRecord,
} from './team.ts'

/** One of every resource: a resource without a line here does not compile. */
const BUILDERS: Record<Parameter, RecordBuilder> = {
  email_id: emailRecord,
  attachment_id: attachmentRecord,
  received_email_id: receivedEmailRecord,
  received_attachment_id: receivedAttachmentRecord,
  template_id: templateRecord,
  version_id: templateVersionRecord,
  image_id: imageRecord,
  domain_id: domainRecord,
  claim_id: domainClaimRecord,
  contact_property_id: contactPropertyRecord,
  topic_id: topicRecord,
  segment_id: segmentRecord,
  contact_id: contactRecord,
  contact_import_id: contactImportRecord,
  contact_job_id: contactJobRecord,
  broadcast_id: broadcastRecord,
  broadcast_version_id: broadcastVersionRecord,
  event_id: eventRecord,
  automation_id: automationRecord,
  run_id: automationRunRecord,
  suppression_id: suppressionRecord,
  webhook_id: webhookRecord,
  webhook_event_id: webhookEventRecord,
  audience_id: audienceRecord,
  api_key_id: apiKeyRecord,
  own_team_id: teamRecord,
  member_id: memberRecord,
  invitation_id: invitationRecord,
  oauth_grant_id: oauthGrantRecord,
  audit_log_entry_id: auditLogEntryRecord,
  log_id: logRecord,
}

/** What an operation is called with. */
export type Target = {
  path: string
  /** The body of the example, with the ids of records in place of those that it names. */
  body: object | undefined
  /** Whether that body names a record. */
  namesRecord: boolean
  /** The ids of the records. */
  ids: string[]
  /** The records as their team sees them. */
  read(): Promise<unknown[]>
}

export type Records = {
  /** The id of one record of every resource. */
  oneOfEach(): Promise<Map<Parameter, string>>
  targetOf(operation: Operation): Promise<Target>
  /** Says that a call of the operation has succeeded: what its path names may be changed or gone, and the next target gets new ones. */
  changedBy(operation: Operation): void
}

export function recordsOf(service: TestService): Records {
  const made = new Map<Parameter, { id: string; madeOf: Set<Parameter> }>()
  let prepared: Promise<void> | undefined
  let targets = 0

  async function prepare(): Promise<void> {
    for (const token of [service.token, service.other.token])
      for (const builder of Object.values(BUILDERS)) await builder.prepare?.(service, token)
  }

  async function idOf(parameter: Parameter): Promise<string> {
    const kept = made.get(parameter)
    if (kept) return kept.id
    const madeOf = new Set<Parameter>()
    const id = await BUILDERS[parameter].make(service, (other) => {
      madeOf.add(other)
      return idOf(other)
    })
    made.set(parameter, { id, madeOf })
    return id
  }

  /** What was made of it belongs to it. */
  function forget(parameter: Parameter): void {
    made.delete(parameter)
    for (const [other, { madeOf }] of [...made]) if (madeOf.has(parameter)) forget(other)
  }

  return {
    async oneOfEach() {
      prepared ??= prepare()
      await prepared
      const ids = new Map<Parameter, string>()
      for (const parameter of Object.keys(BUILDERS) as Parameter[]) ids.set(parameter, await idOf(parameter))
      return ids
    },
    async targetOf({ id: operationId, path, query, example: { body }, resource: { parameter: own } }) {
      const example = { body: body as object | undefined }
      prepared ??= prepare()
      await prepared
      const inPath = parametersOf(path)
      const inBody = namedBy(example.body)
      const all = [...new Set([...inPath, ...inBody, own as Parameter])]
      const ids = new Map<Parameter, string>()
      for (const parameter of all) ids.set(parameter, await idOf(parameter))
      for (const [parameter, id] of ids) await BUILDERS[parameter].ready?.(service, id, operationId)
      return {
        path: inPath.reduce((filled, parameter) => filled.replace(`:${parameter}`, ids.get(parameter) ?? ''), path) + requiredQuery(query),
        body: example.body && fill(BUILDERS[own as Parameter].unlike?.(example.body, ++targets) ?? example.body, ids),
        namesRecord: inBody.length > 0,
        ids: [...ids.values()],
        async read() {
          const paths = [...ids].flatMap(([parameter, id]) => BUILDERS[parameter].paths(id))
          const answers = await Promise.all(paths.map((path) => service.call('GET', path)))
          return answers.map(({ status, body }) => ({ status, body: withoutLastUse(body) }))
        },
      }
    },
    changedBy({ path }) {
      for (const parameter of parametersOf(path)) forget(parameter)
    },
  }
}

function parametersOf(path: string): Parameter[] {
  return [...path.matchAll(/:(\w+)/g)].map(([, name = '']) => {
    const resource = RESOURCES.find(({ parameter }) => parameter === name)
    if (!resource) throw new Error(`No resource has the parameter ${name}: add it to src/modules/routes.ts`)
    return resource.parameter
  })
}

/** Parameters that a request cannot do without, each with the first of the values that it may have. */
function requiredQuery(query: Operation['query']): string {
  const required: string[] = query?.required ?? []
  const values = required.map((name): [string, string] => [name, String(query?.properties[name].enum[0])])
  return values.length === 0 ? '' : `?${new URLSearchParams(values)}`
}

/** The resources whose example ids stand in a body. An id that two of them share is that of the first. */
function namedBy(body: object | undefined): Parameter[] {
  const text = JSON.stringify(body) ?? ''
  const named = RESOURCES.filter(({ example }) => text.includes(example.id))
  return [...new Map([...named].reverse().map(({ example, parameter }) => [example.id, parameter])).values()]
}

const fill = (body: object, ids: Map<Parameter, string>): object =>
  JSON.parse([...ids].reduce((text, [parameter, id]) => text.replaceAll(resourceOf(parameter)?.example.id ?? id, id), JSON.stringify(body)))

/** Reading is a use, too. */
const withoutLastUse = (body: unknown): unknown => JSON.parse(JSON.stringify(body, (key, value) => (key === 'last_used_at' ? null : value)))
