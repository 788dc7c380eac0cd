import { Button, SimpleGrid, TextInput } from '@mantine/core'
import { answer, api } from '../api/client'
import { type RecordOf, type RowOf, useAllRows } from '../api/queries'
import { useDialogForm } from '../parts/dialog-form'
import { FormDialog } from '../parts/FormDialog'
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

/** What was changed in the form, and nothing else: someone else may have changed the rest since it was opened. */
function changesOf(before: Values, after: Values, properties: readonly Property[]) {
  const changed = properties.filter(({ key }) => before.properties[key] !== after.properties[key])
  return {
    ...(after.email !== before.email && { email: after.email.trim() }),
    ...(after.firstName !== before.firstName && { first_name: after.firstName.trim() || null }),
    ...(after.lastName !== before.lastName && { last_name: after.lastName.trim() || null }),
    ...(changed.length > 0 && {
      properties: Object.fromEntries(changed.map(({ key, type }) => [key, typedValue(after.properties[key] ?? '', type)])),
    }),
  }
}

export function EditContact({ contact }: { contact: Contact }) {
  const may = useMay()
  const properties = useAllRows('/contact-properties', { isEnabled: may('contact-properties:read') }).rows
  const initial = valuesOf(contact, properties)
  const update = useDialogForm({
    initialValues: initial,
    run: (values: Values) =>
      answer(
        api.PATCH('/contacts/{contact_id}', {
          params: { path: { contact_id: contact.id } },
          body: changesOf(valuesOf(contact, properties), values, properties),
        }),
      ),
    done: TEXTS.saved,
    changes: ['contacts', 'segments'],
  })
  return (
    <>
      <Button variant="default" onClick={update.open}>
        {TEXTS.edit}
      </Button>
      <FormDialog title={contact.email} {...update.dialog}>
        <TextInput
          label={TEXTS.email}
          description={TEXTS.editEmailHint}
          required
          spellCheck={false}
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
