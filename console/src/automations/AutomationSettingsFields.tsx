import { Select } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import { type RecordOf, useAllRows } from '../api/queries'
import { NameField } from '../parts/NameField'
import { useMay } from '../session/me'
import { AUTOMATION_SETTINGS_TEXTS as TEXTS } from '../texts/automations'

type Automation = RecordOf<'/automations/{automation_id}'>

/** Everything but its steps that a new automation has. */
export type AutomationSettings = Pick<Automation, 'name' | 'class' | 'reentry'>

const CLASSES: readonly Automation['class'][] = ['bulk', 'transactional']
const REENTRIES: readonly Automation['reentry'][] = ['once', 'not_while_running', 'always']
const NAME_LENGTH_MAX = 100

type Fields = Pick<UseFormReturnType<AutomationSettings>, 'getInputProps'>

/** @param ownId the automation that is changed; none while it is new */
export function AutomationSettingsFields({ form, ownId }: { form: Fields; ownId?: string }) {
  const may = useMay()
  const others = useAllRows('/automations', { isEnabled: may('automations:read') }).rows
  return (
    <>
      <NameField
        others={others}
        ownId={ownId}
        taken={TEXTS.nameTaken}
        label={TEXTS.name}
        required
        maxLength={NAME_LENGTH_MAX}
        data-autofocus
        {...form.getInputProps('name')}
      />
      <Select
        label={TEXTS.class}
        data={CLASSES.map((value) => ({ value, label: TEXTS.classes[value] }))}
        allowDeselect={false}
        {...form.getInputProps('class')}
      />
      <Select
        label={TEXTS.reentry}
        data={REENTRIES.map((value) => ({ value, label: TEXTS.reentries[value] }))}
        allowDeselect={false}
        {...form.getInputProps('reentry')}
      />
    </>
  )
}
