// How contact properties are called.
import type { PropertyRow } from '../../modules/audience/properties/properties.repository.ts'

export const ADDRESS = '/console/properties'

export const pathOf = ({ id }: { id: string }): string => `${ADDRESS}/${id}`

export const TYPE_WORDS: Record<PropertyRow['type'], string> = { string: 'Text', number: 'Number' }

/** How a message names it. */
export const placeholderOf = ({ key }: Pick<PropertyRow, 'key'>): string => `{{{contact.${key}}}}`
