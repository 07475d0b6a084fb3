#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# glibc.sh LIBRARY... - the libraries need nothing that glibc 2.28 does not have. glibc 2.32 to 2.34
# took libdl, libpthread and librt into libc, and made functions of what had been inline: all got new
# versions. The headers of glibc 2.38 give strtol and its like the names of C23. Built there, a library
# names those; built on 2.28 it names the old ones. Anything else beyond 2.28 is an error.
set -eu
baseline=2.28
moved="__isoc23_strtol __isoc23_strtoll __isoc23_strtoul __isoc23_strtoull dladdr dladdr1 dlclose dlerror dlinfo dlopen dlsym dlvsym fstat lstat pthread_attr_getstack
pthread_attr_setaffinity_np pthread_attr_setstacksize pthread_create pthread_getattr_np pthread_join
pthread_getspecific pthread_key_create pthread_mutex_timedlock pthread_once pthread_setname_np pthread_setspecific
pthread_sigmask timer_create timer_delete timer_settime"
moved=$(echo $moved)
undefined=$(readelf -W --dyn-syms "$@" | sed -n 's/.* UND \([^ ]*@GLIBC_[0-9.]*\).*/\1/p')
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
    *" $name "*) continue ;;
    esac
    echo "$symbol is newer than glibc $baseline"
    status=1
done
echo "highest version named: GLIBC_$highest"
exit $status
