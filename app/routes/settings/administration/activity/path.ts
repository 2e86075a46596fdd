/** Path of the activity of the administration. */
export const ACTIVITY_PATH = "/manage/admin/activity";
