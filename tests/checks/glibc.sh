#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# glibc.sh LIBRARY - the library needs nothing that glibc 2.28 does not have. glibc 2.34 took libdl
# and libpthread into libc and gave their functions new versions: built there, the library names
# those; built on 2.28 it names the old ones. Anything else beyond 2.28 is an error.
set -eu
baseline=2.28
moved="dladdr dladdr1 dlclose dlerror dlinfo dlopen dlsym dlvsym pthread_once pthread_key_create"
undefined=$(readelf -W --dyn-syms "$1" | sed -n 's/.* UND \([^ ]*@GLIBC_[0-9.]*\).*/\1/p')
if [ -z "$undefined" ]; then
    echo "no versioned symbol: was the library read at all?"
    exit 1
fi
highest=$(printf '%s\n' "$undefined" | sed 's/.*GLIBC_//' | sort -V | tail -n 1)
status=0
for symbol in $undefined; do
    name=${symbol%%@*}
    version=${symbol##*GLIBC_}
    if [ "$(printf '%s\n%s\n' "$version" "$baseline" | sort -V | tail -n 1)" = "$baseline" ]; then
        continue
    fi
    case " $moved " in
    *" $name "*) [ "$version" = 2.34 ] && continue ;;
    esac
    echo "$symbol is newer than glibc $baseline"
    status=1
done
echo "highest version named: GLIBC_$highest"
exit $status
