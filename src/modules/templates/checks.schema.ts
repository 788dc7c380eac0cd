import { type Static, Type } from '@sinclair/typebox'
import { Enum, Id, Kind, Named, Nullable, Ref } from '../../lib/validation/common.schema.ts'
import { CHECK_LEVELS, CHECKS_MAX, inOrder, type MailCheck } from '../../mail/checks/mail-checks.ts'

export const MailCheckRecord = Named(
  'MailCheck',
  Type.Object(
    {
      code: Type.String({ description: 'What was found, such as `alt_missing` or `link_broken`.', examples: ['alt_missing'] }),
      level: Enum([...CHECK_LEVELS], {
        description:
          '`error`: it cannot be sent, or cannot work for anyone, such as a link without an address. `warning`: look at it; it can be meant.',
      }),
      message: Type.String({ description: 'A sentence about what was found, with what to do.' }),
      about: Nullable(
        Type.String({ description: 'What it was found in first, such as a link or the name of a domain; null for all of it.' }),
      ),
    },
    { description: 'Something that was found about a mail before it is sent.' },
  ),
)

/** `object` and `id` say what was checked. */
export const checksFields = <Name extends string>(object: Name, noun: string) => ({
  object: Kind(object),
  id: Id(`Id of the ${noun}.`),
  html_bytes: Nullable(
    Type.Integer({
      description: 'Bytes of the HTML, of which Gmail shows the first 102 KB; null if there is no HTML.',
      examples: [18_204],
    }),
  ),
  data: Type.Array(Ref(MailCheckRecord), { description: `What was found, errors first: at most ${CHECKS_MAX}.` }),
})

export const CHECKS_EXAMPLE = {
  html_bytes: 18_204,
  data: [
    {
      code: 'link_insecure',
      level: 'warning' as const,
      message: 'A link has `http` in place of `https`, of which browsers warn: `http://example.com/sale`.',
      about: 'http://example.com/sale',
    },
  ],
}

/** What is found with the codes and the words that it has elsewhere. */
export const toChecks = (checks: readonly MailCheck[]): Static<typeof MailCheckRecord>[] =>
  inOrder(checks)
    .slice(0, CHECKS_MAX)
    .map(({ code, level, message, about }) => ({ code, level, message, about }))
