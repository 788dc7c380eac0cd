import type { Static } from '@sinclair/typebox'
import { declareOperations, type Routes } from '../../../http/operation.ts'
import { plainResource } from '../../../http/plain-resource.ts'
import type { PlatformContext } from '../../../http/platform.context.ts'
import { toList } from '../../../http/resource.ts'
import { toTimestamp } from '../../../lib/clock.ts'
import { Failure } from '../../../lib/failure.ts'
import { pageRequest } from '../../../lib/page-request.ts'
import { EXAMPLE_TIME, ListQuery } from '../../../lib/validation/common.schema.ts'
import { requireScope } from '../../accounts/scopes.ts'
import type { AudienceContext } from '../audience.context.ts'
import { CONTACTS } from '../contacts/contacts.schema.ts'
import type { StoredAct } from './contact-acts.repository.ts'
import type { ContactJobRow } from './contact-jobs.repository.ts'
import {
  CONTACT_JOB_IDS_MAX,
  CONTACT_JOBS,
  ContactCount,
  ContactCountCreate,
  ContactJob,
  ContactJobCreate,
  ContactJobList,
  ContactJobListQuery,
  ContactJobParams,
  JOB_REFUSALS_DAYS,
  JOB_REFUSALS_KEPT_MAX,
  JobRefusalList,
} from './contact-jobs.schema.ts'
import { countSelection, createContactJob } from './contact-jobs.service.ts'
import type { StoredSelection } from './selected-contacts.repository.ts'

type Context = PlatformContext & AudienceContext

export const toContactJob = (row: ContactJobRow): Static<typeof ContactJob> => ({
  object: 'contact_job',
  id: row.id,
  status: row.status,
  contacts: toSelection(row.selection),
  act: toAct(row.act),
  expected: row.expected,
  counts: {
    total: row.changed + row.unchanged + row.refused,
    changed: row.changed,
    unchanged: row.unchanged,
    refused: row.refused,
  },
  reason: row.reason,
  created_at: toTimestamp(row.createdAt),
  completed_at: toTimestamp(row.completedAt),
})

const toSelection = (selection: StoredSelection): Static<typeof ContactJob>['contacts'] => ({
  ids_count: selection.kind === 'ids' ? selection.count : null,
  segment_id: selection.kind === 'segment' ? selection.segmentId : null,
  search: selection.kind === 'search' ? selection.search : null,
  filter: selection.kind === 'filter' ? selection.given : null,
  broadcast_id: selection.kind === 'broadcast' ? selection.broadcastId : null,
  recipients: selection.kind === 'broadcast' ? selection.recipients : null,
  all: selection.kind === 'all',
})

const toAct = (act: StoredAct): Static<typeof ContactJob>['act'] => ({
  type: act.type,
  segment_id: 'segmentId' in act ? act.segmentId : null,
  topic_id: 'topicId' in act ? act.topicId : null,
  property: 'key' in act ? act.key : null,
  value: 'value' in act ? act.value : null,
})

const operation = declareOperations(CONTACT_JOBS)
const job = plainResource(CONTACT_JOBS, 'contact_job')

const ENDED = 'This contact job has ended, so it cannot be canceled.'

export const contactJobRoutes: Routes<Context> = async (app, { context }) => {
  const { contactJobs } = context.repositories

  app.post(
    '/contacts/jobs',
    operation({
      id: 'contacts.jobs.create',
      summary: 'Act on many contacts',
      description: `Does one thing with many contacts, in the background: those that \`ids\` names, at most ${CONTACT_JOB_IDS_MAX.toLocaleString('en')}, or all that a segment, a search, a filter or a broadcast finds. Each contact is changed as the operation on one contact does it, with the same events. The jobs of a team run one after the other. No one is subscribed again as one of many: \`subscribe\` is only for \`ids\`, and without \`ids\`, \`opt_in\` refuses contacts who opted out of the topic. Contacts whose mail is stopped by a complaint or by the team are not subscribed. \`unsuppress\` needs the scope \`suppressions:delete\` too.`,
      access: 'full',
      audit: 'always',
      body: ContactJobCreate,
      reply: { 201: ContactJob },
      example: {
        body: { contacts: { all: true }, act: { type: 'set_property', property: 'company', value: 'Analytical Engines' } },
        reply: { ...CONTACT_JOBS.example, status: 'queued', counts: { total: 0, changed: 0, unchanged: 0, refused: 0 } },
      },
    }),
    async ({ teamId, caller, body }) => {
      if (body.act.type === 'unsuppress') requireScope(caller, 'suppressions:delete')
      if (body.contacts.broadcast_id != null) requireScope(caller, 'broadcasts:read')
      return toContactJob(await createContactJob(context, teamId, body))
    },
  )

  app.post(
    '/contacts/counts',
    operation({
      id: 'contacts.counts.create',
      summary: 'Count contacts',
      description: 'Counts the contacts for which a contact job would be. Nothing is stored.',
      access: 'full',
      scope: 'contacts:read',
      audit: 'never',
      body: ContactCountCreate,
      reply: { 200: ContactCount },
      example: { body: { contacts: { all: true } }, reply: { object: 'contact_count', contacts: 300, is_exact: true } },
    }),
    async ({ teamId, caller, body }) => {
      if (body.contacts.broadcast_id != null) requireScope(caller, 'broadcasts:read')
      const { contacts, isAll } = await countSelection(context, teamId, body.contacts)
      return { object: 'contact_count' as const, contacts, is_exact: isAll }
    },
  )

  app.get(
    '/contacts/jobs',
    operation({
      id: 'contacts.jobs.list',
      summary: 'List contact jobs',
      description: 'Returns the contact jobs of the team, newest first, 20 by default.',
      access: 'full',
      audit: 'never',
      query: ContactJobListQuery,
      reply: { 200: ContactJobList },
      example: { reply: job.examples.list },
    }),
    async ({ teamId, query }) => {
      const { status = null, ...page } = query
      return toList(await contactJobs.list(teamId, status, pageRequest(page, 'always')), toContactJob)
    },
  )

  app.get(
    '/contacts/jobs/:contact_job_id',
    operation({
      id: 'contacts.jobs.retrieve',
      summary: 'Retrieve a contact job',
      description: 'Returns a contact job: its status, and the counts of its contacts so far.',
      access: 'full',
      audit: 'never',
      params: ContactJobParams,
      reply: { 200: ContactJob },
      example: {
        reply: {
          ...CONTACT_JOBS.example,
          status: 'completed',
          counts: { total: 100_000, changed: 98_000, unchanged: 2_000, refused: 0 },
          completed_at: EXAMPLE_TIME,
        },
      },
    }),
    job.retrieve(contactJobs.find, toContactJob),
  )

  app.get(
    '/contacts/jobs/:contact_job_id/refusals',
    operation({
      id: 'contacts.jobs.refusals.list',
      summary: 'List refused contacts',
      description: `Returns the contacts for which the act of a job was refused, the newest contacts first, 20 by default. The first ${JOB_REFUSALS_KEPT_MAX.toLocaleString('en')} of a job are kept, until ${JOB_REFUSALS_DAYS} days after its end.`,
      access: 'full',
      audit: 'never',
      params: ContactJobParams,
      query: ListQuery,
      reply: { 200: JobRefusalList },
      example: {
        reply: {
          object: 'list',
          has_more: false,
          data: [{ id: CONTACTS.example.id, email: CONTACTS.example.email, reason: 'opted_out' }],
        },
      },
    }),
    async ({ teamId, params, query }) => {
      const found = job.found(await contactJobs.find(teamId, params.contact_job_id))
      return toList(await contactJobs.listRefusals(teamId, found.id, pageRequest(query, 'always')), (row) => row)
    },
  )

  app.post(
    '/contacts/jobs/:contact_job_id/cancel',
    operation({
      id: 'contacts.jobs.cancel',
      summary: 'Cancel a contact job',
      description: 'Stops a contact job after the contacts that are being changed just now. What was done stays done.',
      access: 'full',
      audit: 'always',
      params: ContactJobParams,
      reply: { 200: ContactJob },
      example: { reply: { ...CONTACT_JOBS.example, status: 'canceled', completed_at: EXAMPLE_TIME } },
    }),
    async ({ teamId, params }) => {
      const found = job.found(await contactJobs.find(teamId, params.contact_job_id))
      if (!(await contactJobs.end(teamId, found.id, { status: 'canceled', reason: null }))) throw new Failure('validation', ENDED)
      return toContactJob(job.found(await contactJobs.find(teamId, found.id)))
    },
  )
}
