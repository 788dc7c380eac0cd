import { NumberInput } from '@mantine/core'
import { answer, api } from '../api/client'
import type { RecordOf } from '../api/queries'
import { useDialogForm } from '../parts/dialog-form'
import { FormDialog } from '../parts/FormDialog'
import { changesOf } from '../parts/record-form'
import { AUTOMATION_ACT_TEXTS as TEXTS } from '../texts/automations'
import { type AutomationSettings, AutomationSettingsFields } from './AutomationSettingsFields'

type Automation = RecordOf<'/automations/{automation_id}'>
type Values = AutomationSettings & { runsMax: number | string }

const bodyOf = ({ runsMax, ...settings }: Values) => ({ ...settings, max_runs_per_contact: runsMax === '' ? null : Number(runsMax) })

/** Everything but its steps. */
export function SettingsDialog({ automation, onClose }: { automation: Automation; onClose: () => void }) {
  const save = useDialogForm({
    initialValues: {
      name: automation.name,
      class: automation.class,
      reentry: automation.reentry,
      runsMax: automation.max_runs_per_contact ?? '',
    },
    run: async (values: Values, before) => {
      const body = changesOf(bodyOf(before), bodyOf(values))
      // The API refuses a change of nothing.
      if (Object.keys(body).length === 0) return
      await answer(api.PATCH('/automations/{automation_id}', { params: { path: { automation_id: automation.id } }, body }))
    },
    done: TEXTS.saved,
    changes: ['automations'],
    onDone: onClose,
  })
  return (
    <FormDialog title={TEXTS.edit} {...save.dialog} isOpen onClose={onClose}>
      <AutomationSettingsFields form={save.form} ownId={automation.id} />
      <NumberInput label={TEXTS.runsMax} description={TEXTS.runsMaxHint} min={1} {...save.form.getInputProps('runsMax')} />
    </FormDialog>
  )
}
