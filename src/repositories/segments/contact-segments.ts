// Who was put into which segment, seen from the contact. Segments are locked before contacts, as where contacts are saved.

import type { StoredRule } from '../../lib/audience/segment-rules.ts'
import type { Clock } from '../../lib/clock.ts'
import type { PageRequest } from '../../lib/page-request.ts'
import type { BoundedQueries } from '../bounded-queries.ts'
import { checkAudienceReferences } from '../contacts/audience-references.ts'
import { tellOfContact } from '../contacts/contact-notifications.ts'
import { type ContactReference, type ContactRow, contactColumns, lockContact } from '../contacts/contact-rows.ts'
import { countMemberships } from '../contacts/contacts.ts'
import type { Database, Execute } from '../database.ts'
import { boundOf, type Page, readPage } from '../page.ts'
import { filterSql } from './segment-filters.ts'

/** `createdAt`: when the contact was put into it; of a segment with a filter, when that was created. */
export type ContactSegmentRow = { id: string; name: string; createdAt: Date }

/** Why a contact cannot be put into a segment or taken out; `full`: it is in as many as it may be in. */
export type MembershipProblem = 'unknown segment' | 'segment with a filter' | 'unknown contact' | 'full'

export type Membership = { contactId: string; isChanged: boolean }

export function contactSegmentRepository(
  { execute, transaction }: Pick<Database, 'execute' | 'transaction'>,
  { clock, filterQueries }: { clock: Clock; filterQueries: BoundedQueries },
) {
  return {
    /** The segments that a contact of the team is in, newest first. @throws Failure when filters take too long, or too many are run already. */
    async list(teamId: string, contactId: string, request: PageRequest): Promise<Page<ContactSegmentRow>> {
      const finding = await filterQueries.runEach(teamId, (filtering) => segmentsThatFind(filtering, teamId, contactId))
      return readPage(request, (keyset) => {
        const { orderBy, take } = keyset
        return execute<ContactSegmentRow>(
          `select s.id, s.name, coalesce(m.created_at, s.created_at) as "createdAt"
             from segments s left join contact_segments m on m.segment_id = s.id and m.contact_id = $2 and s.filter is null
            where s.team_id = $1 and (m.contact_id is not null or s.id = any($5::uuid[]))
              and ($3::uuid is null or s.id ${orderBy.id === 'desc' ? '<' : '>'} $3) order by s.id ${orderBy.id} limit $4`,
          [teamId, contactId, boundOf(keyset), take, finding],
        )
      })
    },

    /** Puts a contact into a segment; into one that it is in already, nothing changes. */
    async add(
      teamId: string,
      { reference, segmentId, membershipsMax }: { reference: ContactReference; segmentId: string; membershipsMax: number },
    ): Promise<Membership | MembershipProblem> {
      return transaction(async (inside) => {
        const contact = await lockBoth(inside, teamId, reference, segmentId)
        if (typeof contact === 'string') return contact
        const [already] = await inside('select from contact_segments where segment_id = $1 and contact_id = $2', [segmentId, contact.id])
        if (already) return { contactId: contact.id, isChanged: false }
        if ((await countMemberships(inside, teamId, contact.id)) >= membershipsMax) return 'full'
        const now = clock.now()
        await inside('insert into contact_segments (segment_id, contact_id, created_at) values ($1, $2, $3)', [segmentId, contact.id, now])
        await tellOfChange(inside, teamId, { contact, now })
        return { contactId: contact.id, isChanged: true }
      })
    },

    /** Takes a contact out of a segment; when it is not in it, nothing changes. */
    async remove(
      teamId: string,
      { reference, segmentId }: { reference: ContactReference; segmentId: string },
    ): Promise<Membership | Exclude<MembershipProblem, 'full'>> {
      return transaction(async (inside) => {
        const contact = await lockBoth(inside, teamId, reference, segmentId)
        if (typeof contact === 'string') return contact
        const removed = await inside('delete from contact_segments where segment_id = $1 and contact_id = $2 returning segment_id', [
          segmentId,
          contact.id,
        ])
        if (removed.length > 0) await tellOfChange(inside, teamId, { contact, now: clock.now() })
        return { contactId: contact.id, isChanged: removed.length > 0 }
      })
    },
  }
}

/** Ids of the segments whose filter finds this contact. They are asked one by one: together they could have more parameters than a statement takes. */
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

/** Neither of the two goes before the transaction ends. */
async function lockBoth(
  execute: Execute,
  teamId: string,
  reference: ContactReference,
  segmentId: string,
): Promise<ContactRow | Exclude<MembershipProblem, 'full'>> {
  const found = await checkAudienceReferences(execute, teamId, { segmentIds: [segmentId], topics: [] })
  if (found?.problem === 'unknown segment' || found?.problem === 'segment with a filter') return found.problem
  return (await lockContact(execute, teamId, reference)) ?? 'unknown contact'
}

/** A contact that is in other segments than before has changed. */
async function tellOfChange(execute: Execute, teamId: string, { contact, now }: { contact: ContactRow; now: Date }): Promise<void> {
  const [changed] = await execute<ContactRow>(
    `update contacts c set updated_at = $3 where c.team_id = $1 and c.id = $2 returning ${contactColumns}`,
    [teamId, contact.id, now],
  )
  if (!changed) throw new Error('A locked contact was not changed')
  await tellOfContact(execute, 'contact.updated', { teamId, contact: changed, now })
}
