import { type Static, Type } from '@sinclair/typebox'
import { isId } from '../../lib/ids.ts'
import { distinct, Enum, EXAMPLE_TIME, Id, Named, Nullable, OptionalNullable, Ref, Timestamp } from '../../lib/validation/common.schema.ts'

/** How a template is named, in a path or in an email. An alias never has the form of an id. */
export type TemplateReference = { id: string } | { alias: string }

export const templateReference = (text: string): TemplateReference => (isId(text) ? { id: text.toLowerCase() } : { alias: text })

/** An id is shorter. */
export const ALIAS_LENGTH_MAX = 100
export const VARIABLES_MAX = 50
export const VARIABLE_KEY_LENGTH_MAX = 50
/** The limit of a fallback, in characters of its text or its JSON. */
export const FALLBACK_LENGTH_MAX = 10_000

export const VARIABLE_TYPES = ['string', 'number', 'boolean', 'object', 'list'] as const

const value = Type.Union([
  Type.String(),
  Type.Number(),
  Type.Boolean(),
  Type.Record(Type.String(), Type.Unknown()),
  Type.Array(Type.Unknown()),
])

const key = {
  description: `Name of the variable in placeholders: at most ${VARIABLE_KEY_LENGTH_MAX} ASCII letters, digits and underscores. It is case-sensitive. Names of what every contact has, such as \`FIRST_NAME\`, are refused, and so are \`contact\` and \`this\`.`,
  examples: ['PRODUCT'],
}
const type = Enum([...VARIABLE_TYPES], {
  description: 'Type of its values. An object or a list is written as JSON.',
  examples: ['string'],
})
const fallback = 'Value for emails that do not set one. It has the type of the variable.'

export const TemplateVariableInput = Named(
  'TemplateVariableInput',
  Type.Object(
    {
      key: Type.String({
        minLength: 1,
        maxLength: VARIABLE_KEY_LENGTH_MAX,
        pattern: '^[A-Za-z0-9_]+$',
        'x-rule': 'may hold only ASCII letters, digits and underscores',
        ...key,
      }),
      type,
      fallback_value: OptionalNullable(value, {
        description: `${fallback} At most ${FALLBACK_LENGTH_MAX.toLocaleString('en')} characters. Without one, every email needs a value.`,
        examples: ['your order'],
      }),
    },
    { description: 'A variable of a template.' },
  ),
)

export const TemplateVariable = Named(
  'TemplateVariable',
  Type.Object(
    {
      id: Id('Id of the variable.'),
      key: Type.String(key),
      type,
      fallback_value: Nullable(value, { description: `${fallback} Null if it has none.`, examples: ['your order'] }),
      created_at: Timestamp('When the variable was added to the template.'),
      updated_at: Timestamp('When its type or its fallback last changed.'),
    },
    { description: 'A variable of a template.' },
  ),
)

export const variables = Type.Array(Ref(TemplateVariableInput), {
  maxItems: VARIABLES_MAX,
  ...distinct('key'),
  description: `The variables of the template, at most ${VARIABLES_MAX}. A placeholder that is not among them is a variable without a type or fallback.`,
})

/** The values of an email or a preview. */
export const VariableValues = Type.Record(Type.String(), value, {
  description: 'Values of the variables, by their keys. They are put into HTML as they are, so escape what other people wrote.',
  examples: [{ PRODUCT: 'Analytical Engine' }],
})

export const EXAMPLE_VARIABLE: Static<typeof TemplateVariable> = {
  id: '0193a5c2-7d4e-7b1a-9c3f-2e5d8a6b4ca3',
  key: 'PRODUCT',
  type: 'string',
  fallback_value: 'your order',
  created_at: EXAMPLE_TIME,
  updated_at: EXAMPLE_TIME,
}

export type VariableType = (typeof VARIABLE_TYPES)[number]
export type VariableValue = Static<typeof value>
export type TemplateVariableInput = Static<typeof TemplateVariableInput>
export type VariableValues = Static<typeof VariableValues>
