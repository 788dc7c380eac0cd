import { Button, SimpleGrid, TextInput } from '@mantine/core'
import { answer, api } from '../api/client'
import { type RecordOf, type RowOf, useAllRows } from '../api/queries'
import { useDialogForm } from '../parts/dialog-form'
import { FormDialog } from '../parts/FormDialog'
import { changesOf } from '../parts/record-form'
import { typedValue } from '../properties/property-values'
import { useMay } from '../session/me'
import { CONTACT_TEXTS as TEXTS } from '../texts/contacts'

type Contact = RecordOf<'/contacts/{contact_id}'>
type Property = RowOf<'/contact-properties'>
/** Properties by their key. */
type Values = { email: string; firstName: string; lastName: string; properties: Record<string, string> }

const valuesOf = (contact: Contact, properties: readonly Property[]): Values => ({
  ...{ email: contact.email, firstName: contact.first_name ?? '', lastName: contact.last_name ?? '' },
  properties: Object.fromEntries(properties.map(({ key }) => [key, String(contact.properties[key]?.value ?? '')])),
})

/** A field that came late, with the list of properties, is empty until someone types in it. */
const bodyOf = ({ email, firstName, lastName, properties }: Values, known: readonly Property[]) => ({
  ...{ email: email.trim(), first_name: firstName.trim() || null, last_name: lastName.trim() || null },
  properties: Object.fromEntries(known.map(({ key, type }) => [key, typedValue(properties[key] ?? '', type)])),
})

export function EditContact({ contact }: { contact: Contact }) {
  const may = useMay()
  const { rows: properties, isLoading } = useAllRows('/contact-properties', { isEnabled: may('contact-properties:read') })
  const update = useDialogForm({
    initialValues: valuesOf(contact, properties),
    run: (values: Values, before) =>
      answer(
        api.PATCH('/contacts/{contact_id}', {
          params: { path: { contact_id: contact.id } },
          body: changesOf(bodyOf(before, properties), bodyOf(values, properties)),
        }),
      ),
    done: TEXTS.saved,
    changes: ['contacts', 'segments'],
  })
  return (
    <>
      <Button variant="default" onClick={update.open} loading={isLoading}>
        {TEXTS.edit}
      </Button>
      <FormDialog title={contact.email} {...update.dialog}>
        <TextInput
          label={TEXTS.email}
          description={TEXTS.editEmailHint}
          required
          spellCheck={false}
          data-autofocus
          {...update.form.getInputProps('email')}
        />
        <SimpleGrid cols={{ base: 1, xs: 2 }}>
          <TextInput label={TEXTS.firstName} {...update.form.getInputProps('firstName')} />
          <TextInput label={TEXTS.lastName} {...update.form.getInputProps('lastName')} />
        </SimpleGrid>
        {properties.map(({ key, type }) => (
          <TextInput
            key={key}
            label={key}
            {...(type === 'number' && { description: TEXTS.numberHint })}
            {...update.form.getInputProps(`properties.${key}`)}
          />
        ))}
      </FormDialog>
    </>
  )
}
