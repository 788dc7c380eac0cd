// The contacts of a segment, for the several paths that list them.
import type { Context } from '../context.ts'
import { notFound } from '../lib/failure.ts'
import type { PageRequest } from '../lib/page-request.ts'
import type { ContactRow } from '../repositories/contacts/contact-rows.ts'
import type { Page } from '../repositories/page.ts'

/** @throws Failure if the team has no such segment, or its filter takes too long. */
export async function listMembers(
  { repositories }: Pick<Context, 'repositories'>,
  teamId: string,
  segmentId: string,
  request: PageRequest,
): Promise<Page<ContactRow>> {
  const segment = await repositories.segments.find(teamId, segmentId)
  if (!segment) throw notFound('Segment')
  return repositories.segmentMembers.list(teamId, segment, request)
}
