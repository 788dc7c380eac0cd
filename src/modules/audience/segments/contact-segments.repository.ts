// Which segments a contact was added to; in SQL where filters are evaluated. Segments are locked before contacts, as where contacts are saved.

import type { BoundedQueries } from '../../../db/bounded-queries.ts'
import type { Database, Execute, RecordTransaction } from '../../../db/database.ts'
import { boundOf, readPage } from '../../../db/page.ts'
import type { Clock } from '../../../lib/clock.ts'
import type { PageRequest } from '../../../lib/page-request.ts'
import type { Page } from '../../../lib/validation/common.schema.ts'
import {
  appendContactNotification,
  type ContactReference,
  type ContactRow,
  findSegmentIds,
  lockContact,
  updateContact,
} from '../contacts/contact-rows.repository.ts'
import { checkAudienceReferences } from '../references.repository.ts'
import { filterSql } from './filters/segment-filters.sql.ts'
import type { StoredRule } from './filters/segment-rules.ts'

/** `createdAt`: when the contact was added to it; for a segment with a filter, when that was created. */
export type ContactSegmentRow = { id: string; name: string; createdAt: Date; hasFilter: boolean }

/** Why a contact cannot be added to a segment or removed from it; `too many segments`: it is in as many as it may be in. */
export type MembershipProblem = 'unknown segment' | 'segment with a filter' | 'unknown contact' | 'too many segments'

export type Membership = { contactId: string; isChanged: boolean }

export function contactSegmentRepository(
  { execute, records }: Pick<Database, 'execute' | 'records'>,
  { clock, filterQueries }: { clock: Clock; filterQueries: BoundedQueries },
) {
  return {
    /**
     * The segments that a contact of the team is in, newest first.
     * @throws Failure if filters take too long, or too many are running already.
     */
    async list(teamId: string, contactId: string, request: PageRequest): Promise<Page<ContactSegmentRow>> {
      const finding = await filterQueries.runEach(teamId, (filtering) => segmentsThatFind(filtering, teamId, contactId))
      return readPage(request, (keyset) => {
        const { orderBy, take } = keyset
        return execute<ContactSegmentRow>(
          `select s.id, s.name, coalesce(m.created_at, s.created_at) as "createdAt", s.filter is not null as "hasFilter"
             from segments s left join contact_segments m on m.segment_id = s.id and m.contact_id = $2 and s.filter is null
            where s.team_id = $1 and (m.contact_id is not null or s.id = any($5::uuid[]))
              and ($3::uuid is null or s.id ${orderBy.id === 'desc' ? '<' : '>'} $3) order by s.id ${orderBy.id} limit $4`,
          [teamId, contactId, boundOf(keyset), take, finding],
        )
      })
    },

    /** Adds a contact to a segment. If it is in the segment already, nothing changes. */
    async add(
      teamId: string,
      { reference, segmentId, membershipsMax }: { reference: ContactReference; segmentId: string; membershipsMax: number },
    ): Promise<Membership | MembershipProblem> {
      return records(async (record) => {
        const contact = await lockMember(record.execute, teamId, reference, segmentId)
        return typeof contact === 'string' ? contact : addMember(record, teamId, { contact, segmentId, membershipsMax, now: clock.now() })
      })
    },

    /** Removes a contact from a segment. If it is not in it, nothing changes. */
    async remove(
      teamId: string,
      { reference, segmentId }: { reference: ContactReference; segmentId: string },
    ): Promise<Membership | Exclude<MembershipProblem, 'too many segments'>> {
      return records(async (record) => {
        const contact = await lockMember(record.execute, teamId, reference, segmentId)
        if (typeof contact === 'string') return contact
        const { count } = await record.tables.contactSegment.deleteMany({ where: { segmentId, contactId: contact.id } })
        if (count > 0) await appendUpdate(record, teamId, { contact, now: clock.now() })
        return { contactId: contact.id, isChanged: count > 0 }
      })
    },
  }
}

/**
 * Ids of the segments whose filter finds this contact. They are queried one by one, because together they could have more parameters than a
 * statement accepts.
 */
export async function segmentsThatFind(filtering: Execute, teamId: string, contactId: string): Promise<string[]> {
  const segments = await filtering<{ id: string; filter: StoredRule }>(
    'select id, filter from segments where team_id = $1 and filter is not null order by id',
    [teamId],
  )
  const finding: string[] = []
  for (const { id, filter } of segments) {
    const values: unknown[] = [teamId, contactId]
    const { joins, condition } = filterSql(filter, values)
    const found = await filtering(`select from contacts c ${joins} where c.team_id = $1 and c.id = $2 and ${condition}`, values)
    if (found.length > 0) finding.push(id)
  }
  return finding
}

/** Neither of the two is removed before the transaction ends. */
export async function lockMember(
  execute: Execute,
  teamId: string,
  reference: ContactReference,
  segmentId: string,
): Promise<ContactRow | Exclude<MembershipProblem, 'too many segments'>> {
  const found = await checkAudienceReferences(execute, teamId, { segmentIds: [segmentId], topics: [] })
  if (found?.problem === 'unknown segment' || found?.problem === 'segment with a filter') return found.problem
  return (await lockContact(execute, teamId, reference)) ?? 'unknown contact'
}

/** Adds a locked contact to a segment that stays. */
export async function addMember(
  record: RecordTransaction,
  teamId: string,
  { contact, segmentId, membershipsMax, now }: { contact: ContactRow; segmentId: string; membershipsMax: number; now: Date },
): Promise<Membership | 'too many segments'> {
  const { contactSegment } = record.tables
  if ((await contactSegment.count({ where: { segmentId, contactId: contact.id } })) > 0) return { contactId: contact.id, isChanged: false }
  if ((await findSegmentIds(record.execute, teamId, contact.id)).length >= membershipsMax) return 'too many segments'
  await contactSegment.create({ data: { segmentId, contactId: contact.id, createdAt: now }, select: { contactId: true } })
  await appendUpdate(record, teamId, { contact, now })
  return { contactId: contact.id, isChanged: true }
}

/** A contact whose segments change has changed. */
async function appendUpdate(
  { tables, execute }: RecordTransaction,
  teamId: string,
  { contact, now }: { contact: ContactRow; now: Date },
): Promise<void> {
  const changed = await updateContact(tables, teamId, contact.id, { updatedAt: now })
  await appendContactNotification(execute, 'contact.updated', { teamId, contact: changed, now })
}
