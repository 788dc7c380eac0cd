import { Autocomplete, type AutocompleteProps } from '@mantine/core'
import { useDebouncedValue, useDisclosure } from '@mantine/hooks'
import type { Ref } from 'react'
import { useRecord } from '../api/queries'

type PropertyValueFieldProps = Pick<AutocompleteProps, 'aria-label' | 'value' | 'onChange' | 'error' | 'flex'> & {
  propertyId: string
  ref?: Ref<HTMLInputElement>
}

const TYPING_MS = 250

/** A value of a property, with those that contacts have and that begin with what is typed. Any other can be typed. */
export function PropertyValueField({ propertyId, value = '', ...field }: PropertyValueFieldProps) {
  const [isWanted, list] = useDisclosure()
  const [typed] = useDebouncedValue(value, TYPING_MS)
  const { data } = useRecord(
    '/contact-properties/{contact_property_id}/values',
    { path: { contact_property_id: propertyId }, query: { search: typed } },
    { isEnabled: isWanted },
  )
  const values = data?.data.map((row) => String(row.value)) ?? []
  return (
    <Autocomplete
      {...field}
      value={value}
      data={values}
      // The API has left out what does not fit.
      filter={({ options }) => options}
      // An empty list that counts as open would take the first Escape.
      dropdownOpened={isWanted && values.length > 0}
      onDropdownOpen={list.open}
      onDropdownClose={list.close}
      onBlur={list.close}
      autoComplete="off"
    />
  )
}
