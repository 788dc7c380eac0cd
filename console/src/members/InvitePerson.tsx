import { Button, TextInput } from '@mantine/core'
import { UserPlus } from 'lucide-react'
import { answer, api } from '../api/client'
import { useDialogForm } from '../parts/dialog-form'
import { FormDialog } from '../parts/FormDialog'
import { MailHint } from '../session/MailHint'
import { useInvited, useMe } from '../session/me'
import { MEMBER_TEXTS as TEXTS } from '../texts/members'
import { type Role, RoleField } from './RoleField'

export function InvitePerson() {
  const { team } = useMe()
  const invited = useInvited()
  const invite = useDialogForm({
    initialValues: { email: '', role: 'viewer' },
    run: (body: { email: string; role: Role }) => answer(api.POST('/invitations', { body })),
    keepsTyped: true,
    command: 'invite',
    done: ({ email }) => invited(email),
    changes: ['invitations'],
  })
  return (
    <>
      <Button leftSection={<UserPlus size={16} />} onClick={invite.open}>
        {TEXTS.invite}
      </Button>
      <FormDialog title={TEXTS.invite} {...invite.dialog} act={TEXTS.invite}>
        <TextInput label={TEXTS.email} type="email" required data-autofocus autoComplete="off" {...invite.form.getInputProps('email')} />
        <RoleField label={TEXTS.role} value={invite.form.values.role} onChange={(role) => invite.form.setFieldValue('role', role)} />
        <MailHint
          sentence={TEXTS.inviteHint}
          command={[
            ...['people', 'invite', invite.form.values.email.trim() || 'ADDRESS', '--role', invite.form.values.role],
            ...['--team', team?.id ?? ''],
          ]}
        />
      </FormDialog>
    </>
  )
}
