/**
 * What a browser keeps belongs to the account that was logged in when the page was loaded: whoever logs in after them
 * in the same browser neither sees it nor sends it as their own. Without logins it is the browser's.
 */

const COOKIE = "workbench_account";

/** The number of the account, empty without logins. Read once: another login in another tab does not change it. */
export const account = accountIn(globalThis.document?.cookie ?? "");

export function accountIn(cookies) {
  const found = cookies.split("; ").find((one) => one.startsWith(`${COOKIE}=`));
  return found?.slice(COOKIE.length + 1) ?? "";
}

/** For requests: the server refuses them once somebody else is logged in. */
export const accountHeader = account ? { "X-Workbench-Account": account } : {};

/** `storage` as the account's own, with the methods of a Storage. */
export function scoped(storage, of = account) {
  if (!of) return storage;
  const start = `account.${of}.`;
  const keys = () => Array.from({ length: storage.length }, (_, index) => storage.key(index)).filter((key) => key.startsWith(start));
  return {
    get length() {
      return keys().length;
    },
    key: (index) => keys()[index]?.slice(start.length) ?? null,
    getItem: (key) => storage.getItem(start + key),
    setItem: (key, text) => storage.setItem(start + key, text),
    removeItem: (key) => storage.removeItem(start + key),
  };
}
