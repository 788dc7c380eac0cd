import { assertNever } from '../lib/assert-never.ts'
import { type Failure, invalid, notFound } from '../lib/failure.ts'
import type { MembershipProblem } from '../repositories/segments/contact-segments.ts'
import { TOO_MANY_SEGMENTS } from '../schemas/contacts.ts'

/**
 * Why a contact cannot be added to a segment, or removed from it.
 * @param thing what the client calls a segment
 */
export function membershipFailure(problem: MembershipProblem, thing: 'Segment' | 'Audience' = 'Segment'): Failure {
  switch (problem) {
    case 'unknown segment':
      return notFound(thing)
    case 'unknown contact':
      return notFound('Contact')
    case 'segment with a filter':
      return invalid(
        'This segment has a filter, which finds its contacts by itself: no contact can be put into it or taken out. Change the contact, or the filter.',
      )
    case 'full':
      return invalid(TOO_MANY_SEGMENTS)
    default:
      return assertNever(problem)
  }
}
